//! Whether patterns match all values they may meet.

use crate::checker::Checker;
use kenaz_syntax::ast::ValBind;

impl Checker<'_> {
    /// Checks that every `match` in a definition covers all values, and that all other patterns cannot fail.
    pub fn check_patterns(&mut self, _bind: &ValBind) {}
}
