//! Sets `order`, `squares` and `split`: the innermost loop should go along neighbours.
//!
//! ```text
//! let b_1 @ … {(n_2 : 1)(m_3 : n_2)} =              let b_1 @ … {(n_2 : 1)(m_3 : n_2)} =
//!   par (i_4 < n_2, j_5 < m_3) own {            →     par (i_4 < n_2, j_5 < m_3) plan [order (1, 0)] own {
//!     let x_6: f32 = index a_7[]                        let x_6: f32 = index a_7[]
//!     in x_6                                            in x_6
//!   }                                                 }
//! ```
//!
//! - `order`: if more accesses are to neighbours along another dimension than along the last one, that one becomes the
//!   innermost loop.
//! - `squares`: where some accesses go along one dimension and some along another, the nest goes over squares of both,
//!   so that the rest of a cache line is used soon.
//! - `split`: a dimension along which the body reads an array that is a nest of dimensions there becomes several loops,
//!   instead of one that divides its index.
//!
//! The first two assume that iterations may run in any order and do nothing but compute scalars. Bodies that are not
//! plain scalars stay as they are. Cost: linear in the program.

use crate::access::{self, far, is_near, mentions};
use crate::walk::{At, each_par};
use kenaz_ir::plan::{Piece, Split, Squares};
use kenaz_ir::scope::Scope;
use kenaz_ir::{Exp, Name, Operand, Par, Param, Pass, PassCx, Poly, Prog, Stm};

pub const PASS: Pass = Pass {
    name: "order-loops",
    about: "orders the loops of a nest so that the innermost one goes along neighbours",
    stage: None,
    run: order_loops,
};

/// The names of its rules.
pub const RULES: &[&str] = &["order-loops", "squares", "split-loop"];

/// The side of a square.
const SQUARE: i64 = 16;

fn order_loops(prog: &mut Prog, cx: &mut PassCx) {
    each_par(prog, cx, &|_| true, |at, pat, par| {
        let mut order: Vec<usize> = (0..par.space.len()).collect();
        let best = best_order(at.scope, pat, par);
        let innermost = |order: &[usize]| order.last().map_or("", |dim| par.space[*dim].0.base.as_str());
        let reason = format!("more accesses are neighbours along `{}`", innermost(&best));
        if best != order && at.set(par, "order-loops", Piece::Order(best.clone()), reason) {
            order = best;
        }
        if let Some(squares) = squares(at, pat, par, &order) {
            let [across, along] = [squares.across, squares.along].map(|dim| par.space[dim].0.base);
            let reason = format!("some accesses are neighbours along `{across}` and some along `{along}`");
            at.set(par, "squares", Piece::Squares(squares), reason);
        }
        for dim in 0..par.space.len() {
            if let Some(sizes) = nest_along(at.scope, par, dim) {
                let reason = "the body reads an array that has several dimensions there";
                at.set(par, "split-loop", Piece::Split(Split { dim, sizes }), reason);
            }
        }
    });
}

/// The order of the dimensions of a `par`: as given, unless its iterations may run in any order, its body is nothing
/// but scalars, and more accesses are to neighbours in another dimension than in the last one.
pub fn best_order(scope: &Scope, pat: &[Param], par: &Par) -> Vec<usize> {
    let mut order: Vec<usize> = (0..par.space.len()).collect();
    if order.len() < 2 || !par.any_order() {
        return order;
    }
    let Some(accesses) = access::of(scope, pat, par) else { return order };
    let far = |dim: usize| far(&accesses, par.space[dim].0);
    let last = order.len() - 1;
    // The last of those that are equally good.
    let best = (0..=last).rev().min_by_key(|dim| far(*dim)).unwrap_or(last);
    if far(best) < far(last) {
        order.retain(|dim| *dim != best);
        order.push(best);
    }
    order
}

/// The squares that a `par` whose dimensions stand in an order should go over: of the last dimension and of another one
/// along which there are neighbours for an access that is far along the last one.
pub fn squares(at: &At, pat: &[Param], par: &Par, order: &[usize]) -> Option<Squares> {
    let (along, outer) = order.split_last()?;
    if outer.is_empty() || !par.any_order() {
        return None;
    }
    let is_small = |dim: usize| at.extent(par, dim).is_some_and(|n| n < 2 * SQUARE);
    let accesses = access::of(at.scope, pat, par)?;
    let last_var = par.space[*along].0;
    let helps = |dim: usize| {
        let var = par.space[dim].0;
        accesses.iter().any(|access| !is_near(access, last_var) && is_near(access, var) && mentions(access, var))
    };
    let across = outer.iter().rev().copied().find(|dim| helps(*dim))?;
    let is_worth_it = !is_small(across) && !is_small(*along);
    is_worth_it.then_some(Squares { across, along: *along, side: SQUARE.unsigned_abs() })
}

/// The sizes of a nest of dimensions, the outermost first, if the body reads an array all along one with an index.
fn nest_along(scope: &Scope, par: &Par, dim: usize) -> Option<Vec<Poly>> {
    let (var, n): (Name, Operand) = par.space[dim];
    let bound = scope.size(n)?;
    let nest_of = |stm: &Stm| {
        let Exp::Index(array, index) = &stm.exp else { return None };
        let at = index.iter().position(|i| *i == Operand::Var(var))?;
        let pairs = &scope.array(*array)?.place.layout.dims.get(at)?.0;
        let size = pairs.iter().try_fold(Poly::constant(1), |size, pair| size.times(&pair.size))?;
        let sizes = || pairs.iter().map(|pair| pair.size.clone()).collect();
        (pairs.len() > 1 && scope.equal(&size, &bound)).then(sizes)
    };
    par.body.stms.iter().find_map(nest_of)
}
