//! What holds in the body of a `par`.

use super::Facts;
use crate::name::Name;
use crate::op::CmpOp;
use crate::poly::Poly;
use crate::prog::Operand;

impl Facts {
    /// The body of a `par` over this space, and its operators: each index is in the bounds of its dimension, so no
    /// dimension is empty.
    pub fn enter_par(&mut self, space: &[(Name, Operand)]) {
        for (i, n) in space {
            self.bind_int(*i);
            self.learn_nonneg(Some(Poly::name(*i)));
            self.learn_cmp(CmpOp::Lt, Operand::Var(*i), *n);
        }
        self.revisit_ors();
    }
}
