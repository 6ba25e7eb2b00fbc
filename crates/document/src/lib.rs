//! Documentation of programs, packages and the prelude: HTML from comments and types.
//!
//! [`load`] reads files as one program, so that names can be followed from each to the others; [`site`] makes a page
//! for each of them, a page with its source, and an index with a search. Nothing is fetched when a page is looked at.
//!
//! `items` finds what is to be told, `links` where names lead, `code` shows program text with these links, `markdown`
//! shows comments, and `page` puts it together. What comes from programs is escaped by `kenaz_base::html` alone.

mod code;
mod html;
mod items;
mod links;
mod load;
mod markdown;
mod page;

pub use load::{load, root_is};
pub use page::{GENERATOR, Page, site};
