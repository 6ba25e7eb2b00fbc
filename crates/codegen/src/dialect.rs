//! What a language like C looks like: types, names, expressions, statements.
//!
//! The languages of devices differ from it in qualifiers of functions and in the spaces of pointers, for which
//! rts/kernel.h has macros; a [`writer::Writer`] knows in which place it writes.

pub(crate) mod exp;
pub(crate) mod names;
mod stm;
pub(crate) mod tables;
pub(crate) mod text;
pub(crate) mod writer;
