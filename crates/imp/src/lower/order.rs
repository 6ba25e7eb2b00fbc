//! In which order the loops of a nest stand: the innermost should touch neighbours. Where some accesses go along one
//! dimension and some along another, the nest goes over squares, so that what one of them leaves of a line in the cache is
//! used soon.

use super::Lower;
use crate::Exp;
use kenaz_base::Prim;
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

/// The side of a square.
const SQUARE: i64 = 16;

impl Lower<'_> {
    /// The order of the dimensions of a `par`: as given, unless its iterations may run in any order, its body is
    /// nothing but scalars, and more accesses are to neighbours in another dimension than in the last one.
    pub(super) fn best_order(&self, pat: &[ir::Param], par: &Par) -> Vec<usize> {
        let mut order: Vec<usize> = (0..par.space.len()).collect();
        if order.len() < 2 || !any_order(par) {
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

    /// A map whose iterations are maps, that is, a nest in which nothing is done but in the innermost one, as one map, if
    /// its loops should then stand in another order or go over squares.
    pub(super) fn flattened(&self, pat: &[ir::Param], par: &Par) -> Option<Par> {
        let mut flat = self.with_inner(pat, par)?;
        while let Some(more) = self.with_inner(pat, &flat) {
            flat = more;
        }
        let order = self.best_order(pat, &flat);
        (!order.is_sorted() || self.across(pat, &flat, &order).is_some()).then_some(flat)
    }

    fn with_inner(&self, pat: &[ir::Param], par: &Par) -> Option<Par> {
        let (last, views) = par.body.stms.split_last()?;
        let ir::Exp::Par(inner) = &last.exp else { return None };
        let is_outside = |x: Operand| x.name().is_none_or(|name| self.scalars.contains_key(&name));
        let fits = any_order(par)
            && any_order(inner)
            && inner.space.iter().all(|(_, n)| is_outside(*n))
            && views.iter().all(|stm| stm.exp.is_view() && stm.pat.iter().all(|param| param.place.is_some()))
            && par.body.results.iter().copied().eq(last.pat.iter().map(|param| Operand::Var(param.name)));
        if !fits {
            return None;
        }
        // The rows are made where they should be.
        let names = |space: &[(Name, Operand)]| space.iter().map(|(var, _)| Poly::name(*var)).collect::<Vec<Poly>>();
        let space = [&par.space[..], &inner.space[..]].concat();
        for (whole, row) in pat.iter().zip(&last.pat) {
            let whole = &self.arrays.get(&whole.name)?.place;
            let row = self.resolved_place(row.place.as_ref()?);
            let there = linear(&whole.layout, &names(&space))?;
            if row.block != whole.block || !self.equal(&linear(&row.layout, &names(&inner.space))?, &there) {
                return None;
            }
        }
        let stms = views.iter().chain(&inner.body.stms).cloned().collect();
        let body = ir::Body { stms, results: inner.body.results.clone() };
        Some(Par { space, body, forms: inner.forms.clone(), ..par.clone() })
    }

    /// Whether a `par` whose dimensions stand in an order goes over squares of the last one and of another, which is
    /// returned: one along which there are neighbours for an access that is far along the last one.
    pub(super) fn across(&self, pat: &[ir::Param], par: &Par, order: &[usize]) -> Option<usize> {
        let (last, outer) = order.split_last()?;
        if outer.is_empty() || !any_order(par) {
            return None;
        }
        let is_small = |dim: usize| matches!(par.space[dim].1, Operand::Const(n) if n.as_i64() < Some(2 * SQUARE));
        let accesses = self.accesses(pat, par)?;
        let last_var = par.space[*last].0;
        let helps = |dim: usize| {
            let var = par.space[dim].0;
            accesses.iter().any(|access| !is_near(access, last_var) && is_near(access, var) && mentions(access, var))
        };
        outer.iter().rev().copied().find(|dim| helps(*dim)).filter(|dim| !is_small(*dim) && !is_small(*last))
    }

    /// A nest over squares of two dimensions inside loops over the others, the last one innermost.
    pub(super) fn squares(
        &mut self,
        others: Vec<(Name, Exp)>,
        across: (Name, Exp),
        along: (Name, Exp),
        results: Option<&[Name]>,
        f: impl FnOnce(&mut Self),
    ) {
        let many = |bound: &Exp| {
            let rounded = Exp::Add(Box::new(bound.clone()), Box::new(Exp::i64(SQUARE - 1)));
            Exp::Quot(Box::new(rounded), Box::new(Exp::i64(SQUARE)))
        };
        // The next square has what is left of the lines that are far along the last dimension.
        let (h, g) = (self.fresh.like(along.0), self.fresh.like(across.0));
        let mut loops = others;
        loops.extend([(h, many(&along.1)), (g, many(&across.1))]);
        self.loops(loops, results, |cx| {
            let width = cx.width_from(h, along.1);
            let height = cx.width_from(g, across.1);
            let row = cx.fresh("r");
            cx.for_loop(row, Prim::I64, height, results, |cx| {
                cx.define_index(across.0, &in_square(g, row));
                let column = cx.fresh("c");
                cx.for_loop(column, Prim::I64, width, results, |cx| {
                    cx.define_index(along.0, &in_square(h, column));
                    f(cx);
                });
            });
        });
    }

    /// How many indices below a bound the square at a position has.
    fn width_from(&mut self, square: Name, bound: Exp) -> Exp {
        let start = Exp::Mul(Box::new(Exp::Var(square, Prim::I64)), Box::new(Exp::i64(SQUARE)));
        let left = Exp::Sub(Box::new(bound), Box::new(start));
        self.let_index("w", Exp::Bin(BinOp::Min, Prim::I64, Box::new(Exp::i64(SQUARE)), Box::new(left)))
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
                (exp, Some(place)) if exp.is_view() => {
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
                    local.extend(self.sum_in_body(&local, *op, *x, *y).map(|sum| (param.name, sum)));
                }
                (ir::Exp::Operand(x), None) => local.extend(self.in_body(&local, *x).map(|x| (param.name, x))),
                (ir::Exp::Un(..) | ir::Exp::Cmp(..) | ir::Exp::Conv(..) | ir::Exp::Math(..), _) => {}
                _ => return None,
            }
        }
        Some(loads)
    }

    /// What sums, differences and products of statements that are not lowered yet mean.
    pub(super) fn local_sums<'s>(&self, stms: impl Iterator<Item = &'s ir::Stm>) -> FxHashMap<Name, Poly> {
        let mut local: FxHashMap<Name, Poly> = FxHashMap::default();
        for stm in stms {
            if let (ir::Exp::Bin(op, x, y), [param]) = (&stm.exp, &stm.pat[..]) {
                local.extend(self.sum_in_body(&local, *op, *x, *y).map(|sum| (param.name, sum)));
            }
        }
        local
    }

    fn sum_in_body(&self, local: &FxHashMap<Name, Poly>, op: BinOp, x: Operand, y: Operand) -> Option<Poly> {
        let (x, y) = (self.in_body(local, x)?, self.in_body(local, y)?);
        match op {
            BinOp::Add => x.plus(&y, 1),
            BinOp::Sub => x.plus(&y, -1),
            BinOp::Mul => x.times(&y),
            _ => None,
        }
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

/// Whether the iterations of a `par` may run in any order.
pub(super) fn any_order(par: &Par) -> bool {
    par.ops.is_empty() && par.forms.iter().all(|form| matches!(form, Form::Own))
}

/// An index in the square at a position.
fn in_square(square: Name, at: Name) -> Poly {
    let start = Poly::name(square).times(&Poly::constant(SQUARE.into()));
    start.and_then(|start| start.plus(&Poly::name(at), 1)).unwrap_or_default()
}

/// How many accesses are neither to the same element nor to a neighbour when a name is one more.
pub(super) fn far(accesses: &[Poly], name: Name) -> usize {
    accesses.iter().filter(|access| !is_near(access, name)).count()
}

fn mentions(access: &Poly, name: Name) -> bool {
    access.terms().any(|(product, _)| product.contains(&name))
}

/// Whether an access goes to the same element or to a neighbour when a name is one more.
pub(super) fn is_near(access: &Poly, name: Name) -> bool {
    let mut terms = access.terms().filter(|(product, _)| product.contains(&name));
    match (terms.next(), terms.next()) {
        (None, _) => true,
        (Some((product, n)), None) => product.len() == 1 && n.abs() == 1,
        _ => false,
    }
}
