//! What the lanes of a block come to where the order of the operands matters.
//!
//! Each lane has iterations that follow one another, so that what lanes come to can be combined in their order at the
//! end. But lanes that compute them would touch elements that are far apart, so neighbours compute neighbours, a few of
//! each lane at a time, and hand them over in shared memory:
//!
//! ```text
//! for t < tiles of this block {
//!   lanes l { for k < items { elems[p + p/items] = iteration t*items + p % items of lane p/items, p = k*w + l } }
//!   lanes l { for k < items { total = total + elems[l*(items + 1) + k] } }
//! }
//! combine total
//! ```
//!
//! The elements of a lane have room for one more between them, so that lanes that read theirs use different banks.
//! Operands that are the same number in every iteration are not handed over. Iterations that are missing are the last
//! ones, and so are the lanes that have none.

use super::Lower;
use super::one_pass::{Value, prims_of, totals};
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::{CmpOp, Name, Operand, Par, ParOp};

/// The most elements of a lane at a time.
const MOST_ITEMS: usize = 16;

/// The bytes of shared memory that these take.
const SHARED_BYTES: usize = 64;

/// The iterations of a block: tiles that follow one another, each with so many iterations of every lane.
pub(super) struct Tiles {
    pub lanes: Exp,
    pub items: i64,
    /// The number of the first tile, and how many there are.
    pub start: Exp,
    pub len: Exp,
    /// Of all blocks.
    pub iterations: Exp,
    /// Whether the body is written out for each element.
    pub unroll: bool,
}

/// How many elements each lane has at a time, a power of two: divisions by that are cheap.
pub(super) fn items_in_order(par: &Par) -> i64 {
    let bytes: usize = staged(par).iter().flatten().map(|prim| prim.bytes()).sum();
    let most = (SHARED_BYTES / bytes.max(1)).clamp(1, MOST_ITEMS);
    1 << most.ilog2()
}

/// The operands that are handed over: all but numbers.
fn staged(par: &Par) -> Vec<Option<Prim>> {
    let prims = par.ops.iter().flat_map(prims_of);
    par.body.results.iter().zip(prims).map(|(x, prim)| matches!(x, Operand::Var(_)).then_some(prim)).collect()
}

impl Lower<'_> {
    /// What all lanes of a block come to.
    pub(super) fn lanes_in_order(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        ops: &[&ParOp],
        values: &[Value],
        tiles: &Tiles,
    ) -> Vec<Exp> {
        let Tiles { lanes, items, iterations, .. } = tiles;
        let items = Exp::i64(*items);
        let room = Exp::mul(lanes.clone(), Exp::add(items.clone(), Exp::i64(1)));
        let staged: Vec<Option<(Name, Prim)>> =
            staged(par).into_iter().map(|prim| Some((self.shared_by_lanes("elems", prim?, &room), prim?))).collect();
        let first = Exp::mul(tiles.start.clone(), Exp::mul(lanes.clone(), items.clone()));
        let first = self.let_i64("first", first);
        let segment = self.let_i64("segment", Exp::mul(tiles.len.clone(), items.clone()));
        let left = self.let_i64("left", Exp::sub(iterations.clone(), first.clone()));
        let is_full = Exp::cmp(CmpOp::Le, Exp::mul(lanes.clone(), segment.clone()), left.clone());
        let at = self.fresh("t");
        self.for_loop(at, Prim::I64, tiles.len.clone(), None, |cx| {
            let done = cx.let_i64("done", Exp::mul(Exp::var(at), items.clone()));
            cx.lanes(lanes, |cx, lane| {
                let from = cx.let_i64("from", Exp::add(first.clone(), done.clone()));
                cx.if_full(&is_full, |cx, is_full| {
                    cx.hand_over(pat, par, &staged, tiles, (&from, &segment), lane, is_full);
                });
            });
            cx.lanes(lanes, |cx, lane| {
                let before = Exp::add(Exp::mul(Exp::var(lane), segment.clone()), done.clone());
                let own = cx.let_i64("own", Exp::sub(left.clone(), before));
                let has_any = Exp::cmp(CmpOp::Lt, Exp::i64(0), own.clone());
                let yes = cx.scoped(false, |cx| {
                    cx.if_full(&is_full, |cx, is_full| {
                        let own = (!is_full).then_some(&own);
                        cx.combine_own(ops, par, values, &staged, tiles, (lane, &Exp::var(at)), own);
                    });
                });
                cx.push(Stm::If { cond: has_any, yes, no: Vec::new() });
            });
        });
        let segment = Exp::max(segment, Exp::i64(1));
        let busy = Exp::quot(Exp::add(left, Exp::sub(segment.clone(), Exp::i64(1))), segment);
        let busy = self.let_i64("busy", Exp::min(busy, lanes.clone()));
        self.combine_lanes(ops, totals(values), busy, false)
    }

    /// Where all iterations of a block are there, none of them needs a test.
    fn if_full(&mut self, is_full: &Exp, f: impl Fn(&mut Self, bool)) {
        let yes = self.scoped(false, |cx| f(cx, true));
        let no = self.scoped(false, |cx| f(cx, false));
        self.push(Stm::If { cond: is_full.clone(), yes, no });
    }

    /// A lane computes elements of a tile that are as far apart as there are lanes.
    #[expect(clippy::too_many_arguments, reason = "a tile, and what all tiles have in common")]
    fn hand_over(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        staged: &[Option<(Name, Prim)>],
        tiles: &Tiles,
        (from, segment): (&Exp, &Exp),
        lane: Name,
        is_full: bool,
    ) {
        let Tiles { lanes, items, iterations, unroll, .. } = tiles;
        self.items(*items, *unroll, |cx, item| {
            let place = cx.let_i64("place", Exp::add(Exp::mul(item, lanes.clone()), Exp::var(lane)));
            let row = cx.let_i64("row", Exp::quot(place.clone(), Exp::i64(*items)));
            let inside = Exp::rem(place.clone(), Exp::i64(*items));
            let number = Exp::add(Exp::add(from.clone(), Exp::mul(row.clone(), segment.clone())), inside);
            let number = cx.let_i64("number", number);
            let compute = |cx: &mut Self| {
                let (own_pat, copy) = cx.copy_with_results(pat, par);
                let index = cx.point(&copy.space, number.clone());
                cx.body(&copy.body);
                for (result, staged) in copy.body.results.iter().zip(staged) {
                    if let Some((block, prim)) = *staged {
                        let (index, value) = (Exp::add(place.clone(), row.clone()), cx.operand(*result));
                        cx.push(Stm::Store { block, prim, index, value });
                    }
                }
                let others = &copy.body.results[staged.len()..];
                cx.racing_forms(&copy.forms, &own_pat[par.reduced()..], &index, others);
            };
            if is_full {
                return compute(cx);
            }
            let cond = Exp::cmp(CmpOp::Lt, number.clone(), iterations.clone());
            let yes = cx.scoped(false, compute);
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
    }

    /// A lane combines its elements of a tile with those before, of which the first tile has none. There are `own` left
    /// of them, or as many as there can be.
    #[expect(clippy::too_many_arguments, reason = "a tile, and what all tiles have in common")]
    fn combine_own(
        &mut self,
        ops: &[&ParOp],
        par: &Par,
        values: &[Value],
        staged: &[Option<(Name, Prim)>],
        tiles: &Tiles,
        (lane, at): (Name, &Exp),
        own: Option<&Exp>,
    ) {
        let Tiles { items, unroll, .. } = tiles;
        let from = self.let_i64("from", Exp::mul(Exp::var(lane), Exp::i64(items + 1)));
        let element = |cx: &mut Self, at: &Exp| -> Vec<Exp> {
            let each = par.body.results.iter().zip(staged);
            each.map(|(x, staged)| match *staged {
                Some((block, prim)) => cx.under_name("x", Exp::load(block, prim, Exp::add(from.clone(), at.clone()))),
                None => cx.operand(*x),
            })
            .collect()
        };
        let names: Vec<(Name, Prim)> = values.iter().map(|value| (self.fresh("sum"), value.prim)).collect();
        let first = element(self, &Exp::i64(0));
        for ((name, _), first) in names.iter().zip(&first) {
            self.declare_set(*name, first.clone());
        }
        let set = |cx: &mut Self, sums: Vec<Exp>| {
            cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(sums).collect());
        };
        let yes = self.scoped(false, |cx| {
            let before = cx.loaded_from(totals(values).into_iter().map(|(total, _, prim)| (total, prim)), &Exp::i64(0));
            let sums = cx.combined(ops, before, first);
            set(cx, sums);
        });
        self.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, Exp::i64(0), at.clone()), yes, no: Vec::new() });
        self.vary_here(&names);
        if *items > 1 {
            self.items(items - 1, *unroll, |cx, item| {
                let next = Exp::add(item, Exp::i64(1));
                let combine = |cx: &mut Self| {
                    cx.vary_here(&names);
                    let left = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
                    let right = element(cx, &next);
                    let sums = cx.combined(ops, left, right);
                    set(cx, sums);
                };
                let Some(own) = own else { return combine(cx) };
                let yes = cx.scoped(false, combine);
                cx.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, next.clone(), own.clone()), yes, no: Vec::new() });
            });
        }
        self.vary_here(&names);
        for ((name, prim), (total, ..)) in names.iter().zip(totals(values)) {
            let (block, value) = (total, Exp::Var(*name, *prim));
            self.push(Stm::Store { block, prim: *prim, index: Exp::i64(0), value });
        }
    }
}
