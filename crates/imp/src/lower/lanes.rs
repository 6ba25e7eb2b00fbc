//! `lanes`: reductions with several interleaved accumulators.
//!
//! ```text
//! for i < n { s = s + a[i] }
//! ```
//! becomes
//! ```text
//! t = 0
//! if 16 <= n {
//!   local s'[32]
//!   for l < 32 { s'[l] = 0 }
//!   let q = n / 32
//!   for k < q { for l < 32 { s'[l] = s'[l] + a[k*32 + l] } }
//!   for l < 16 { s'[l] = s'[l] + s'[l + 16] }
//!   for l < 8 { s'[l] = s'[l] + s'[l + 8] }
//!   let f = q*32, p = (n - f) / 8
//!   for k < p { for l < 8 { s'[l] = s'[l] + a[f + k*8 + l] } }
//!   for l < 4 { s'[l] = s'[l] + s'[l + 4] } …
//!   s = s'[0]
//!   t = f + p*8
//! }
//! for r < min(15, n - t) { s = s + a[t + r] }   one by one if they are few
//! ```
//! so that the C compiler may use vectors although the order of additions of floats matters to it. It reorders built-in
//! operations on integers by itself. The body is lowered where it stands each time, so that the indices in it are plain
//! sums of what the loop counts and what is fixed.

use super::Lower;
use super::par::{Acc, Run};
use crate::{Exp, Hint, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::plan;
use kenaz_ir::visit::copy_lambda;
use kenaz_ir::{CmpOp, Name, Poly};
use rustc_hash::FxHashMap;

/// The accumulators in their lanes.
struct Lanes<'l> {
    vars: &'l [(Name, Prim)],
    blocks: FxHashMap<Name, Name>,
}

impl Lower<'_> {
    /// The loop of a reduction over one dimension.
    pub(super) fn in_lanes(&mut self, run: &Run, plan: plan::Lanes, accs: &[Vec<Acc>], bound: Exp) {
        let [narrow, fewest] = [plan.narrow, plan.fewest].map(u64::cast_signed);
        let var = |acc: &Acc| match acc {
            Acc::Var(name, prim) => (*name, *prim),
            Acc::At { .. } | Acc::Array(_) => panic!("lanes are for scalars"),
        };
        let vars: Vec<(Name, Prim)> = accs.iter().flatten().map(var).collect();
        let bound = self.let_i64("n", bound);
        let done = self.fresh("t");
        self.push(Stm::Declare { name: done, ty: Ty::Scalar(Prim::I64) });
        self.push(Stm::Set { name: done, value: Exp::i64(0) });
        let many = self.scoped(false, |cx| {
            let value = cx.many(run, plan, &vars, &bound);
            cx.push(Stm::Set { name: done, value });
        });
        let cond = Exp::cmp(CmpOp::Le, Exp::i64(fewest), bound.clone());
        self.push(Stm::If { cond, yes: many, no: Vec::new() });
        self.variable(done, Prim::I64);

        // It is less in any case, but the C compiler should know that few are left.
        let left = Exp::min(Exp::i64(fewest - 1), Exp::sub(bound, Exp::var(done)));
        let left = self.let_i64("n", left);
        let done = Poly::name(done);
        let few = self.scoped(false, |cx| cx.rest(run, accs, (&done, &left), true));
        let more = self.scoped(false, |cx| cx.rest(run, accs, (&done, &left), false));
        let cond = Exp::cmp(CmpOp::Lt, left, Exp::i64(narrow));
        self.push(Stm::If { cond, yes: few, no: more });
    }

    /// The loop over what the lanes have left, from an index on.
    fn rest(&mut self, run: &Run, accs: &[Vec<Acc>], (done, left): (&Poly, &Exp), few: bool) {
        let rest = self.fresh("r");
        let body = self.scoped(true, |cx| {
            cx.variable(rest, Prim::I64);
            let at = cx.plus(done, &Poly::name(rest));
            cx.copied_iteration(run, accs, &at, None);
        });
        let hint = Hint { few, ..Hint::default() };
        self.push(Stm::For { var: rest, prim: Prim::I64, bound: left.clone(), hint, body });
    }

    /// As many rounds over all lanes as fit, then some over fewer, and their combination. Returns how many operands
    /// that were.
    fn many(&mut self, run: &Run, plan: plan::Lanes, vars: &[(Name, Prim)], bound: &Exp) -> Exp {
        let [wide, narrow] = [plan.wide, plan.narrow].map(u64::cast_signed);
        let mut lanes = Lanes { vars, blocks: FxHashMap::default() };
        for (name, prim) in vars {
            let block = self.fresh.like(*name);
            lanes.blocks.insert(*name, block);
            self.push(Stm::Local { name: block, prim: *prim, len: plan.wide });
        }
        let neutral: Vec<Exp> = run.ops.iter().flat_map(|op| &op.neutral).map(|x| self.operand(*x)).collect();
        self.lane_loop(wide, |cx, lane| {
            for ((name, prim), value) in vars.iter().zip(neutral) {
                cx.push(Stm::Store { block: lanes.blocks[name], prim: *prim, index: Exp::var(lane), value });
            }
        });
        let rounds = self.let_i64("q", Exp::quot(bound.clone(), Exp::i64(wide)));
        self.rounds(run, &lanes, wide, &rounds, &Poly::default());
        self.halve_to(run, &lanes, wide, narrow);
        let first = self.let_i64("f", Exp::mul(rounds, Exp::i64(wide)));
        let rounds = self.let_i64("p", Exp::quot(Exp::sub(bound.clone(), first.clone()), Exp::i64(narrow)));
        let start = super::as_poly(&first).unwrap_or_default();
        self.rounds(run, &lanes, narrow, &rounds, &start);
        self.halve_to(run, &lanes, narrow, 1);
        for (name, prim) in vars {
            let value = Exp::load(lanes.blocks[name], *prim, Exp::i64(0));
            self.push(Stm::Set { name: *name, value });
        }
        Exp::add(first, Exp::mul(rounds, Exp::i64(narrow)))
    }

    /// Rounds of the loop, from an index on, in each of which every lane has an operand.
    fn rounds(&mut self, run: &Run, lanes: &Lanes, width: i64, rounds: &Exp, start: &Poly) {
        let round = self.fresh("k");
        self.for_loop(round, Prim::I64, rounds.clone(), None, |cx| {
            cx.lane_loop(width, |cx, lane| {
                let base = cx.times(&Poly::name(round), &Poly::constant(width.into()));
                let base = cx.plus(start, &base);
                let at = cx.plus(&base, &Poly::name(lane));
                let mut vars = lanes.vars.iter();
                let of_op = |count: usize| vars.by_ref().take(count).map(|var| lanes.at(var, lane)).collect();
                let accs: Vec<Vec<Acc>> = run.ops.iter().map(|op| op.neutral.len()).map(of_op).collect();
                cx.copied_iteration(run, &accs, &at, None);
            });
        });
    }

    fn lane_loop(&mut self, width: i64, f: impl FnOnce(&mut Self, Name)) {
        let lane = self.fresh("l");
        let body = self.scoped(true, |cx| {
            cx.variable(lane, Prim::I64);
            let outer = std::mem::replace(&mut cx.in_lanes, true);
            f(cx, lane);
            cx.in_lanes = outer;
        });
        let hint = Hint { independent: true, lanes: true, ..Hint::default() };
        self.push(Stm::For { var: lane, prim: Prim::I64, bound: Exp::i64(width), hint, body });
    }

    /// Combines lanes until there are only so many.
    fn halve_to(&mut self, run: &Run, lanes: &Lanes, mut from: i64, to: i64) {
        while from > to {
            from /= 2;
            self.halve(run, lanes, from);
        }
    }

    /// Combines the upper half of twice as many lanes with the lower half.
    fn halve(&mut self, run: &Run, lanes: &Lanes, width: i64) {
        self.lane_loop(width, |cx, lane| {
            let mut vars = lanes.vars;
            for op in &run.ops {
                let (these, rest) = vars.split_at(op.neutral.len());
                vars = rest;
                let low: Vec<Acc> = these.iter().map(|var| lanes.at(var, lane)).collect();
                let high = Exp::add(Exp::var(lane), Exp::i64(width));
                let upper = |(name, prim): &(Name, Prim)| Exp::load(lanes.blocks[name], *prim, high.clone());
                let args = low.iter().filter_map(Acc::load).chain(these.iter().map(upper)).collect();
                let lambda: ir::Lambda = copy_lambda(&op.op.lambda, cx.fresh);
                let results = cx.accumulated(&lambda, &op.neutral, args);
                cx.put(&low, results);
            }
        });
    }
}

impl Lanes<'_> {
    fn at(&self, (name, prim): &(Name, Prim), lane: Name) -> Acc {
        Acc::At { block: self.blocks[name], prim: *prim, index: Exp::var(lane) }
    }
}
