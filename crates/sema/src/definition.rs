//! The checks of a definition that need its final types.

use crate::checker::Checker;
use crate::types::Scheme;
use kenaz_syntax::ast::ValBind;

impl Checker<'_> {
    /// Checks a well-typed definition further; may make its result unique.
    pub(crate) fn check_definition(&mut self, bind: &ValBind, scheme: &mut Scheme) {
        self.check_patterns(bind);
        self.check_causality(bind);
        self.check_consumption(bind, scheme);
        if !self.builtin {
            self.warn_unused(bind);
            self.warn_dubious(bind);
        }
    }
}
