//! The loops of copies and of squares.

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

impl Lower<'_> {
    /// A nest over squares of two dimensions inside loops over the others, the second of the two innermost.
    pub(super) fn squares(
        &mut self,
        others: Vec<(Name, Exp)>,
        [across, along]: [(Name, Exp); 2],
        side: u64,
        results: Option<&[Name]>,
        f: impl FnOnce(&mut Self),
    ) {
        let side = side.cast_signed();
        let many = |bound: &Exp| {
            let rounded = Exp::Add(Box::new(bound.clone()), Box::new(Exp::i64(side - 1)));
            Exp::Quot(Box::new(rounded), Box::new(Exp::i64(side)))
        };
        // The next square has what is left of the lines that are far along the last dimension.
        let (h, g) = (self.fresh.like(along.0), self.fresh.like(across.0));
        let mut loops = others;
        loops.extend([(h, many(&along.1)), (g, many(&across.1))]);
        self.loops(loops, results, |cx| {
            let width = cx.width_from(h, side, along.1);
            let height = cx.width_from(g, side, across.1);
            let row = cx.fresh("r");
            cx.for_loop(row, Prim::I64, height, results, |cx| {
                cx.define_index(across.0, &in_square(g, side, row));
                let column = cx.fresh("c");
                cx.for_loop(column, Prim::I64, width, results, |cx| {
                    cx.define_index(along.0, &in_square(h, side, column));
                    f(cx);
                });
            });
        });
    }

    /// How many indices below a bound the square at a position has.
    fn width_from(&mut self, square: Name, side: i64, bound: Exp) -> Exp {
        let start = Exp::Mul(Box::new(Exp::Var(square, Prim::I64)), Box::new(Exp::i64(side)));
        let left = Exp::Sub(Box::new(bound), Box::new(start));
        self.let_index("w", Exp::Bin(BinOp::Min, Prim::I64, Box::new(Exp::i64(side)), Box::new(left)))
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
                    let layout = self.scope.place(place).layout.map(&mut { inner })?;
                    views.insert(param.name, layout);
                }
                (ir::Exp::Index(array, index), None) => {
                    let layout = match views.get(array) {
                        Some(layout) => layout,
                        None => &self.scope.array(*array)?.place.layout,
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
            Operand::Var(name) => match (local.get(&name), self.scope.size(x)) {
                (Some(poly), _) => Some(poly.clone()),
                (None, Some(size)) => Some(size),
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
fn in_square(square: Name, side: i64, at: Name) -> Poly {
    let start = Poly::name(square).times(&Poly::constant(side.into()));
    start.and_then(|start| start.plus(&Poly::name(at), 1)).unwrap_or_default()
}

/// How many accesses are neither to the same element nor to a neighbour when a name is one more.
pub(super) fn far(accesses: &[Poly], name: Name) -> usize {
    accesses.iter().filter(|access| !is_near(access, name)).count()
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
