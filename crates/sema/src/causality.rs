//! Whether every size is known before it is needed.

use crate::checker::Checker;
use kenaz_syntax::ast::ValBind;

impl Checker<'_> {
    pub fn check_causality(&mut self, _bind: &ValBind) {}
}
