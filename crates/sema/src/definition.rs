//! The checks of a definition that need its final types.

use crate::checker::Checker;
use crate::types::Scheme;
use kenaz_syntax::ast::{DecId, ValBind};

impl Checker<'_> {
    /// Checks a well-typed definition further; may make its result unique.
    pub fn check_definition(&mut self, _dec: DecId, _bind: &ValBind, _scheme: &mut Scheme) {}
}
