//! Which elements the statements of a body load and store, in terms of its indices.

use kenaz_ir::effects;
use kenaz_ir::plan::is_simple;
use kenaz_ir::scope::{Scope, linear};
use kenaz_ir::{BinOp, Exp, Layout, Name, Operand, Par, Param, Poly, Stm};
use rustc_hash::FxHashMap;

/// The indices of all loads and stores of a `par`, in terms of its indices; none if the body is not only scalars.
pub(crate) fn of(scope: &Scope, pat: &[Param], par: &Par) -> Option<Vec<Poly>> {
    let mut accesses = loads(scope, par.body.stms.iter())?;
    let index: Vec<Poly> = par.space.iter().map(|(var, _)| Poly::name(*var)).collect();
    for param in pat {
        let array = scope.array(param.name)?;
        if array.sizes.len() != index.len() {
            return None;
        }
        // Writes cost more than reads.
        let access = array.linear(&index)?;
        accesses.extend([access.clone(), access]);
    }
    Some(accesses)
}

/// The indices of all loads of statements; none if they are not only scalars, branches of those, and views.
pub(crate) fn loads<'s>(scope: &Scope, stms: impl Iterator<Item = &'s Stm>) -> Option<Vec<Poly>> {
    let mut local: FxHashMap<Name, Poly> = FxHashMap::default();
    let mut views: FxHashMap<Name, Layout> = FxHashMap::default();
    let mut loads = Vec::new();
    for stm in stms {
        if is_branch_of_scalars(stm) {
            continue;
        }
        let [param] = &stm.pat[..] else { return None };
        match (&stm.exp, &param.place) {
            (exp, Some(place)) if exp.is_view() => {
                let inner = |poly: &Poly| Some(poly.replace(|x| local.get(&x).cloned()).unwrap_or(poly.clone()));
                let layout = scope.place(place).layout.map(&mut { inner })?;
                views.insert(param.name, layout);
            }
            (Exp::Index(array, index), None) => {
                let layout = match views.get(array) {
                    Some(layout) => layout,
                    None => &scope.array(*array)?.place.layout,
                };
                let index: Option<Vec<Poly>> = index.iter().map(|i| in_body(scope, &local, *i)).collect();
                loads.push(linear(layout, &index?)?);
            }
            (Exp::Bin(op, x, y), _) => {
                local.extend(sum_in_body(scope, &local, *op, *x, *y).map(|sum| (param.name, sum)));
            }
            (Exp::Operand(x), None) => local.extend(in_body(scope, &local, *x).map(|x| (param.name, x))),
            (Exp::Un(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..), _) => {}
            _ => return None,
        }
    }
    Some(loads)
}

/// Whether a statement is a branch that loads nothing.
fn is_branch_of_scalars(stm: &Stm) -> bool {
    let is_load = |stm: &Stm| matches!(stm.exp, Exp::Index(..));
    matches!(stm.exp, Exp::If(..) | Exp::Match(..)) && is_simple(stm) && !effects::any_inside(&stm.exp, is_load)
}

fn sum_in_body(scope: &Scope, local: &FxHashMap<Name, Poly>, op: BinOp, x: Operand, y: Operand) -> Option<Poly> {
    Poly::combine(op, &in_body(scope, local, x)?, &in_body(scope, local, y)?)
}

fn in_body(scope: &Scope, local: &FxHashMap<Name, Poly>, x: Operand) -> Option<Poly> {
    match x {
        Operand::Var(name) => match (local.get(&name), scope.size(x)) {
            (Some(poly), _) => Some(poly.clone()),
            (None, Some(size)) => Some(size),
            (None, None) => Some(Poly::name(name)),
        },
        Operand::Const(_) => Poly::operand(x),
    }
}

/// How many accesses are neither to the same element nor to a neighbour when a name is one more.
pub(crate) fn far(accesses: &[Poly], name: Name) -> usize {
    accesses.iter().filter(|access| !is_near(access, name)).count()
}

pub(crate) fn mentions(access: &Poly, name: Name) -> bool {
    access.names().any(|x| x == name)
}

/// Whether an access goes to the same element or to a neighbour when a name is one more.
pub(crate) fn is_near(access: &Poly, name: Name) -> bool {
    let mut terms = access.terms().filter(|(product, _)| product.contains(&name));
    match (terms.next(), terms.next()) {
        (None, _) => true,
        (Some((product, n)), None) => product.len() == 1 && n.abs() == 1,
        _ => false,
    }
}
