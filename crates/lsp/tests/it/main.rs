//! The files for editors are right.

mod grammar;
