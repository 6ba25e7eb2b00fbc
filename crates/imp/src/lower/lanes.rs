//! Reductions whose operator commutes, with several interleaved accumulators.
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
//! operations on integers by itself. Only for bodies without control and without calls, which are written four times:
//! each is lowered where it stands, so that the indices in it are plain sums of what the loop counts and what is fixed.

use super::Lower;
use super::par::{Acc, is_built_in};
use crate::{Exp, Hint, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{BinOp, CmpOp, Name, OpKind, Operand, Par, Poly};
use rustc_hash::FxHashMap;

/// Bodies and operators with more statements than this are written once.
const MOST_STATEMENTS: usize = 48;
const MOST_IN_OPERATOR: usize = 8;

/// The accumulators of a reduction side by side: enough vectors of any width to hide how long an addition takes.
const WIDE: i64 = 32;
/// As many accumulators, and less to do for each of the operands, when not enough are left for all.
const NARROW: i64 = 8;
/// It takes so many operands to make up for the combination of the lanes.
const FEWEST: i64 = 16;

/// The accumulators in their lanes.
struct Lanes<'l> {
    vars: &'l [(Name, Prim)],
    blocks: FxHashMap<Name, Name>,
}

impl Lower<'_> {
    /// The loop of a `par` with one dimension, if it may and should run in lanes. It is given how its body looks otherwise.
    pub(super) fn in_lanes(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        accs: &[Vec<Acc>],
        bound: &Exp,
        body: &[Stm],
    ) -> bool {
        let Some(vars) = lane_variables(par, accs, body) else { return false };
        if matches!(bound, Exp::Const(c) if c.as_i64().is_some_and(|n| n < FEWEST)) {
            return false;
        }
        let bound = match bound {
            Exp::Const(_) | Exp::Var(..) => bound.clone(),
            other => self.let_index("n", other.clone()),
        };
        let done = self.fresh("t");
        self.push(Stm::Declare { name: done, ty: Ty::Scalar(Prim::I64) });
        self.push(Stm::Set { name: done, value: Exp::i64(0) });
        let many = self.scoped(false, |cx| {
            let value = cx.many(pat, par, &vars, &bound);
            cx.push(Stm::Set { name: done, value });
        });
        let cond = Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(Exp::i64(FEWEST)), Box::new(bound.clone()));
        self.push(Stm::If { cond, yes: many, no: Vec::new() });
        self.variable(done, Prim::I64);

        // It is less in any case, but the C compiler should know that few are left.
        let left = Box::new(Exp::Sub(Box::new(bound), Box::new(Exp::Var(done, Prim::I64))));
        let left = Exp::Bin(BinOp::Min, Prim::I64, Box::new(Exp::i64(FEWEST - 1)), left);
        let left = self.let_index("n", left);
        let done = Poly::name(done);
        let few = self.scoped(false, |cx| cx.rest(pat, par, accs, (&done, &left), true));
        let more = self.scoped(false, |cx| cx.rest(pat, par, accs, (&done, &left), false));
        let cond = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(left), Box::new(Exp::i64(NARROW)));
        self.push(Stm::If { cond, yes: few, no: more });
        true
    }

    /// The loop over what the lanes have left, from an index on.
    fn rest(&mut self, pat: &[ir::Param], par: &Par, accs: &[Vec<Acc>], (done, left): (&Poly, &Exp), few: bool) {
        let rest = self.fresh("r");
        let body = self.scoped(true, |cx| {
            cx.variable(rest, Prim::I64);
            let at = cx.plus(done, &Poly::name(rest));
            let copy = cx.same_iteration(par, &at);
            cx.iteration(pat, &copy, accs, false);
        });
        let hint = Hint { few, ..Hint::default() };
        self.push(Stm::For { var: rest, prim: Prim::I64, bound: left.clone(), hint, body });
    }

    /// The iteration at an index under other names.
    pub(super) fn same_iteration(&mut self, par: &Par, at: &Poly) -> Par {
        let mut copy = par.clone();
        copy.body = copy_body(&par.body, self.fresh);
        for op in &mut copy.ops {
            op.lambda = copy_lambda(&op.lambda, self.fresh);
        }
        for (var, _) in &mut copy.space {
            let index = match at.as_operand() {
                Some(Operand::Var(name)) => name,
                _ => {
                    let index = self.fresh.like(*var);
                    self.define_index(index, at);
                    index
                }
            };
            self.stands_for(*var, &Exp::Var(index, Prim::I64));
            *var = index;
        }
        copy
    }

    pub(super) fn let_index(&mut self, base: &str, value: Exp) -> Exp {
        let name = self.fresh(base);
        self.variable(name, Prim::I64);
        self.push(Stm::Let { name, prim: Prim::I64, value });
        Exp::Var(name, Prim::I64)
    }

    /// As many rounds over all lanes as fit, then some over fewer, and their combination. Returns how many operands that
    /// were.
    fn many(&mut self, pat: &[ir::Param], par: &Par, vars: &[(Name, Prim)], bound: &Exp) -> Exp {
        let mut lanes = Lanes { vars, blocks: FxHashMap::default() };
        for (name, prim) in vars {
            let block = self.fresh.like(*name);
            lanes.blocks.insert(*name, block);
            self.push(Stm::Local { name: block, prim: *prim, len: WIDE.unsigned_abs() });
        }
        let neutral: Vec<Exp> = par.reduces().flat_map(|op| &op.neutral).map(|x| self.operand(*x)).collect();
        self.lane_loop(WIDE, |cx, lane| {
            for ((name, prim), value) in vars.iter().zip(neutral) {
                let index = Exp::Var(lane, Prim::I64);
                cx.push(Stm::Store { block: lanes.blocks[name], prim: *prim, index, value });
            }
        });
        let rounds = self.let_index("q", Exp::Quot(Box::new(bound.clone()), Box::new(Exp::i64(WIDE))));
        self.rounds(pat, par, &lanes, WIDE, &rounds, &Poly::default());
        self.halve_to(par, &lanes, WIDE, NARROW);
        let first = self.let_index("f", Exp::Mul(Box::new(rounds), Box::new(Exp::i64(WIDE))));
        let left = Exp::Sub(Box::new(bound.clone()), Box::new(first.clone()));
        let rounds = self.let_index("p", Exp::Quot(Box::new(left), Box::new(Exp::i64(NARROW))));
        let start = match &first {
            Exp::Var(name, _) => Poly::name(*name),
            _ => Poly::default(),
        };
        self.rounds(pat, par, &lanes, NARROW, &rounds, &start);
        self.halve_to(par, &lanes, NARROW, 1);
        for (name, prim) in vars {
            let index = Box::new(Exp::i64(0));
            self.push(Stm::Set { name: *name, value: Exp::Load { block: lanes.blocks[name], prim: *prim, index } });
        }
        Exp::Add(Box::new(first), Box::new(Exp::Mul(Box::new(rounds), Box::new(Exp::i64(NARROW)))))
    }

    /// Rounds of the loop, from an index on, in each of which every lane has an operand.
    fn rounds(&mut self, pat: &[ir::Param], par: &Par, lanes: &Lanes, width: i64, rounds: &Exp, start: &Poly) {
        let round = self.fresh("k");
        self.for_loop(round, Prim::I64, rounds.clone(), None, |cx| {
            cx.lane_loop(width, |cx, lane| {
                let base = cx.times(&Poly::name(round), &Poly::constant(width.into()));
                let base = cx.plus(start, &base);
                let at = cx.plus(&base, &Poly::name(lane));
                let copy = cx.same_iteration(par, &at);
                let mut vars = lanes.vars.iter();
                let of_op =
                    |op: &ir::ParOp| vars.by_ref().take(op.neutral.len()).map(|var| lanes.at(var, lane)).collect();
                let accs: Vec<Vec<Acc>> = par.ops.iter().map(of_op).collect();
                cx.iteration(pat, &copy, &accs, false);
            });
        });
    }

    fn lane_loop(&mut self, width: i64, f: impl FnOnce(&mut Self, Name)) {
        let lane = self.fresh("l");
        let body = self.scoped(true, |cx| {
            cx.variable(lane, Prim::I64);
            f(cx, lane);
        });
        let hint = Hint { independent: true, lanes: true, ..Hint::default() };
        self.push(Stm::For { var: lane, prim: Prim::I64, bound: Exp::i64(width), hint, body });
    }

    /// Combines lanes until there are only so many.
    fn halve_to(&mut self, par: &Par, lanes: &Lanes, mut from: i64, to: i64) {
        while from > to {
            from /= 2;
            self.halve(par, lanes, from);
        }
    }

    /// Combines the upper half of twice as many lanes with the lower half.
    fn halve(&mut self, par: &Par, lanes: &Lanes, width: i64) {
        self.lane_loop(width, |cx, lane| {
            let mut vars = lanes.vars;
            for op in par.reduces() {
                let (these, rest) = vars.split_at(op.neutral.len());
                vars = rest;
                let low: Vec<Acc> = these.iter().map(|var| lanes.at(var, lane)).collect();
                let high = Exp::Add(Box::new(Exp::Var(lane, Prim::I64)), Box::new(Exp::i64(width)));
                let upper = |(name, prim): &(Name, Prim)| Exp::Load {
                    block: lanes.blocks[name],
                    prim: *prim,
                    index: Box::new(high.clone()),
                };
                let args = low.iter().filter_map(Acc::load).chain(these.iter().map(upper)).collect();
                let lambda = copy_lambda(&op.lambda, cx.fresh);
                let results = cx.accumulated(&lambda, &op.neutral, args);
                cx.put(&low, results);
            }
        });
    }
}

impl Lanes<'_> {
    fn at(&self, (name, prim): &(Name, Prim), lane: Name) -> Acc {
        Acc::At { block: self.blocks[name], prim: *prim, index: Exp::Var(lane, Prim::I64) }
    }
}

/// The accumulators, if the loop may and should run in lanes.
fn lane_variables(par: &Par, accs: &[Vec<Acc>], body: &[Stm]) -> Option<Vec<(Name, Prim)>> {
    if par.ops.is_empty() || body.len() > MOST_STATEMENTS {
        return None;
    }
    let mut helps = false;
    for op in &par.ops {
        let OpKind::Reduce { commutative } = op.kind else { return None };
        let built_in = is_built_in(&op.lambda);
        if !commutative && !built_in || op.lambda.body.stms.len() > MOST_IN_OPERATOR {
            return None;
        }
        let has_float = op.lambda.params.iter().any(|p| p.ty.prim().is_some_and(Prim::is_float));
        helps |= has_float || !built_in;
    }
    let mut vars = Vec::new();
    for acc in accs.iter().flatten() {
        match acc {
            Acc::Var(name, prim) => vars.push((*name, *prim)),
            Acc::At { .. } | Acc::Array(_) => return None,
        }
    }
    let is_plain = |stm: &Stm| {
        let mut has_call = false;
        stm.for_each_exp(|x| x.walk(&mut |x| has_call |= !is_instruction(x)));
        !has_call
            && match stm {
                Stm::Let { .. } | Stm::Store { .. } => true,
                Stm::Set { name, .. } => vars.iter().any(|(var, _)| var == name),
                _ => false,
            }
    };
    (helps && body.iter().all(is_plain)).then_some(vars)
}

/// Whether an operation takes a few instructions. One that calls a function cannot be in vectors, and takes longer than
/// the operator.
fn is_instruction(x: &Exp) -> bool {
    match x {
        Exp::Math(f, prim, _) => f.is_instruction(*prim),
        Exp::Bin(BinOp::Pow | BinOp::Mod, prim, ..) => !prim.is_float(),
        _ => true,
    }
}
