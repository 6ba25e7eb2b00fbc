//! In which order the loops of a nest stand: the innermost should touch neighbours.

use super::Lower;
use kenaz_ir as ir;
use kenaz_ir::{BinOp, Form, Layout, Name, Operand, Par, Poly};
use rustc_hash::FxHashMap;

/// The outer dimensions of a layout with the one whose elements are neighbours last.
pub(super) fn by_stride(layout: &Layout, outer: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..outer).collect();
    let is_near = |dim: usize| {
        let stride = layout.dims.get(dim).and_then(|dim| dim.0.last());
        stride.and_then(|pair| pair.stride.as_constant()).is_some_and(|n| n.abs() == 1)
    };
    // Behind the outer dimensions there may be others, which are nearer.
    if outer == layout.dims.len()
        && let Some(near) = (0..outer).rev().find(|dim| is_near(*dim))
    {
        order.retain(|dim| *dim != near);
        order.push(near);
    }
    order
}

impl Lower<'_> {
    /// The order of the dimensions of a `par`: as given, unless its iterations may run in any order, its body is
    /// nothing but scalars, and more accesses are to neighbours in another dimension than in the last one.
    pub(super) fn best_order(&self, pat: &[ir::Param], par: &Par) -> Vec<usize> {
        let mut order: Vec<usize> = (0..par.space.len()).collect();
        let any_order = par.ops.is_empty() && par.forms.iter().all(|form| matches!(form, Form::Own));
        if order.len() < 2 || !any_order {
            return order;
        }
        let Some(accesses) = self.accesses(pat, par) else { return order };
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

    /// The indices of all loads and stores of a `par`, in terms of its indices; none if the body is not only scalars.
    fn accesses(&self, pat: &[ir::Param], par: &Par) -> Option<Vec<Poly>> {
        let mut accesses = self.loads(par.body.stms.iter())?;
        let index: Vec<Poly> = par.space.iter().map(|(var, _)| Poly::name(*var)).collect();
        for param in pat {
            let layout = &self.arrays.get(&param.name)?.place.layout;
            if layout.dims.len() != index.len() {
                return None;
            }
            // Writes cost more than reads.
            let access = linear(layout, &index)?;
            accesses.extend([access.clone(), access]);
        }
        Some(accesses)
    }

    /// The indices of all loads of statements that are not lowered yet; none if they are not only scalars and views.
    pub(super) fn loads<'s>(&self, stms: impl Iterator<Item = &'s ir::Stm>) -> Option<Vec<Poly>> {
        let mut local: FxHashMap<Name, Poly> = FxHashMap::default();
        let mut views: FxHashMap<Name, Layout> = FxHashMap::default();
        let mut loads = Vec::new();
        for stm in stms {
            let [param] = &stm.pat[..] else { return None };
            match (&stm.exp, &param.place) {
                (exp, Some(place)) if is_view(exp) => {
                    let inner = |poly: &Poly| Some(poly.replace(|x| local.get(&x).cloned()).unwrap_or(poly.clone()));
                    let layout = self.resolved_place(place).layout.map(&mut { inner })?;
                    views.insert(param.name, layout);
                }
                (ir::Exp::Index(array, index), None) => {
                    let layout = match views.get(array) {
                        Some(layout) => layout,
                        None => &self.arrays.get(array)?.place.layout,
                    };
                    let index: Option<Vec<Poly>> = index.iter().map(|i| self.in_body(&local, *i)).collect();
                    loads.push(linear(layout, &index?)?);
                }
                (ir::Exp::Bin(op, x, y), _) => {
                    let sum = match (self.in_body(&local, *x), self.in_body(&local, *y), op) {
                        (Some(x), Some(y), BinOp::Add) => x.plus(&y, 1),
                        (Some(x), Some(y), BinOp::Sub) => x.plus(&y, -1),
                        (Some(x), Some(y), BinOp::Mul) => x.times(&y),
                        _ => None,
                    };
                    local.extend(sum.map(|sum| (param.name, sum)));
                }
                (ir::Exp::Operand(x), None) => local.extend(self.in_body(&local, *x).map(|x| (param.name, x))),
                (ir::Exp::Un(..) | ir::Exp::Cmp(..) | ir::Exp::Conv(..) | ir::Exp::Math(..), _) => {}
                _ => return None,
            }
        }
        Some(loads)
    }

    fn in_body(&self, local: &FxHashMap<Name, Poly>, x: Operand) -> Option<Poly> {
        match x {
            Operand::Var(name) => match (local.get(&name), self.scalars.get(&name)) {
                (Some(poly), _) => Some(poly.clone()),
                (None, Some(_)) => Some(self.size(x)),
                (None, None) => Some(Poly::name(name)),
            },
            Operand::Const(_) => Poly::operand(x),
        }
    }
}

/// The place of an element if that is linear in the index.
pub(super) fn linear(layout: &Layout, index: &[Poly]) -> Option<Poly> {
    let mut sum = layout.offset.clone();
    for (dim, i) in layout.dims.iter().zip(index) {
        sum = sum.plus(&dim.stride()?.times(i)?, 1)?;
    }
    Some(sum)
}

/// Whether an expression is another view of an array.
pub(super) fn is_view(exp: &ir::Exp) -> bool {
    matches!(
        exp,
        ir::Exp::Index(..)
            | ir::Exp::Slice(..)
            | ir::Exp::Rearrange(..)
            | ir::Exp::Reshape(..)
            | ir::Exp::Resize(..)
            | ir::Exp::FlatIndex(..)
            | ir::Exp::Operand(_)
            | ir::Exp::Opaque(_)
    )
}

/// How many accesses are neither to the same element nor to a neighbour when a name is one more.
pub(super) fn far(accesses: &[Poly], name: Name) -> usize {
    accesses.iter().filter(|access| !is_near(access, name)).count()
}

/// Whether an access goes to the same element or to a neighbour when a name is one more.
fn is_near(access: &Poly, name: Name) -> bool {
    let mut terms = access.terms().filter(|(product, _)| product.contains(&name));
    match (terms.next(), terms.next()) {
        (None, _) => true,
        (Some((product, n)), None) => product.len() == 1 && n.abs() == 1,
        _ => false,
    }
}
