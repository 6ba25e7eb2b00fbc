//! The checkers, the text form, facts and layouts.

mod check;
mod common;
mod facts;
mod layout;
mod pins;
mod text;
mod visit;
