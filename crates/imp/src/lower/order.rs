//! The loops of copies and of squares.

use super::Lower;
use crate::Exp;
use kenaz_base::Prim;
use kenaz_ir::{Layout, Name, Poly};

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
        let many = |bound: &Exp| Exp::quot(Exp::add(bound.clone(), Exp::i64(side - 1)), Exp::i64(side));
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
        let start = Exp::mul(Exp::var(square), Exp::i64(side));
        self.let_i64("w", Exp::min(Exp::i64(side), Exp::sub(bound, start)))
    }
}

/// An index in the square at a position.
fn in_square(square: Name, side: i64, at: Name) -> Poly {
    let start = Poly::name(square).times(&Poly::constant(side.into()));
    start.and_then(|start| start.plus(&Poly::name(at), 1)).unwrap_or_default()
}
