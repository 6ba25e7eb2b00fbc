//! Literate programs from their text to the page.

mod pages;
