//! Plans: what must hold of a `par` for its pieces to change nothing. What depends on places is in `memory/plan`.

use super::scope::Checker;
use super::{Checked, Rule, Stage};
use crate::exp::Exp;
use crate::par::Par;
use crate::plan::{Piece, Squares};
use crate::poly::Poly;
use crate::prog::Body;
use crate::types::Type;
use crate::visit::for_each_body;
use kenaz_base::with_stack;

impl Checker<'_> {
    /// Checks the plan of a `par`, in whose scope it stands.
    pub fn plan(&self, par: &Par) -> Checked {
        let plan = &par.plan;
        if plan.is_empty() {
            return Ok(());
        }
        let is_memory = matches!(self.stage, Stage::Memory(_));
        self.ensure(is_memory, Rule::Stage, || "a plan does not belong to this stage".to_string())?;
        for pair in plan.pieces().windows(2) {
            self.ensure(pair[0].kind() < pair[1].kind(), Rule::PlanPieces, || {
                format!("`{}` does not stand before `{}`", pair[0], pair[1])
            })?;
        }
        plan.pieces().iter().try_for_each(|piece| self.piece(par, piece))
    }

    fn piece(&self, par: &Par, piece: &Piece) -> Checked {
        match piece {
            Piece::Order(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                let is_permutation = sorted.iter().copied().eq(0..par.space.len());
                self.ensure(is_permutation, Rule::PlanOrder, || {
                    format!("`{piece}` is no permutation of {} dimensions", par.space.len())
                })?;
                self.any_order(par, Rule::PlanOrder, piece)
            }
            Piece::Squares(Squares { across, along, side }) => {
                let order = par.plan.order(par.space.len());
                let are_sides = order.contains(across) && across != along && order.last() == Some(along) && *side > 0;
                self.ensure(are_sides, Rule::PlanSquares, || {
                    format!("`{piece}` is not about two dimensions, the second of which is innermost")
                })?;
                self.any_order(par, Rule::PlanSquares, piece)
            }
            Piece::Split(split) => {
                let fits = split.dim < par.space.len() && split.sizes.len() > 1;
                self.ensure(fits, Rule::PlanSplit, || format!("`{piece}` does not make several loops of one"))?;
                split.sizes.iter().try_for_each(|size| self.in_scope(Rule::PlanSplit, size))
            }
            Piece::Chunks(_)
            | Piece::Tile(_)
            | Piece::Strips(_)
            | Piece::Guard
            | Piece::Lanes(_)
            | Piece::Stream(_) => Ok(()),
        }
    }

    fn any_order(&self, par: &Par, rule: Rule, piece: &Piece) -> Checked {
        let is_free = par.any_order() && !traces(&par.body);
        self.ensure(is_free, rule, || format!("`{piece}`, but iterations cannot run in any order"))
    }

    fn in_scope(&self, rule: Rule, poly: &Poly) -> Checked {
        poly.names().try_for_each(|name| self.expect(rule, name.into(), &Type::I64))
    }
}

/// Whether something is printed, which has an order.
fn traces(body: &Body) -> bool {
    with_stack(|| {
        body.stms.iter().any(|stm| {
            let mut found = matches!(stm.exp, Exp::Trace(..));
            for_each_body(&stm.exp, |body| found |= traces(body));
            found
        })
    })
}
