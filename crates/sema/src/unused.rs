//! Warnings about names that are bound and never used.

use crate::checker::Checker;
use kenaz_syntax::ast::ValBind;

impl Checker<'_> {
    pub fn warn_unused(&mut self, _bind: &ValBind) {}
}
