//! Literate programs: Markdown from a program with directives, which are scripts whose results become part of the page
//! as text, pictures, plots, videos and sounds.
//!
//! ```text
//! -- The first squares:
//!
//! def squares (n: i64) = map (\x -> x * x) (iota n)
//!
//! -- > squares 5
//! ```
//!
//! [`parse`] cuts a program into its [`Block`]s, [`render()`] runs the directives and makes a [`Page`] with its files,
//! and [`differences`] compares one with what was written before. The directives are those of `futhark literate`;
//! pictures, plots, GIFs and sounds without compression are made here, anything else by `ffmpeg`, `gnuplot` and
//! `convert`, where those are.

mod agree;
mod colours;
mod directive;
mod draw;
mod media;
mod plot;
mod render;
mod sound;
mod source;
mod tools;
mod video;

pub use agree::differences;
pub use directive::{Directive, Kind, Shown};
pub use render::{Failure, Options, Page, render};
pub use source::{Block, functions, parse};
