//! What a language like C looks like: types, names, expressions, statements.
//!
//! There is one such language now. The languages of GPUs differ from it in qualifiers of functions, in the spaces of
//! pointers and in the names of built-in functions; what differs will be asked of [`kenaz_ir::target::Dialect`] here.

pub(crate) mod exp;
pub(crate) mod names;
mod stm;
pub(crate) mod tables;
pub(crate) mod text;
pub(crate) mod writer;
