//! What plans need to be true of sizes and places.

use super::super::{Checked, Rule};
use super::Walk;
use crate::par::Par;
use crate::plan::Piece;
use crate::poly::Poly;

impl Walk<'_> {
    /// Checks the plan of a `par` whose body has not been looked at.
    pub fn plan(&mut self, par: &Par) -> Checked {
        for piece in par.plan.pieces() {
            if let Piece::Split(split) = piece {
                let product = split.sizes.iter().try_fold(Poly::constant(1), |product, n| product.times(n));
                let bound = Poly::operand(par.space[split.dim].1);
                let is_bound = match (product, bound) {
                    (Some(product), Some(bound)) => self.facts.proves_poly_eq(&product, &bound),
                    _ => false,
                };
                self.ensure(is_bound, Rule::PlanSplit, || {
                    format!("the sizes of `{piece}` are not proved to make up `{}`", par.space[split.dim].1)
                })?;
            }
        }
        Ok(())
    }
}
