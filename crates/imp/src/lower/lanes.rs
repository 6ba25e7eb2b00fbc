//! Reductions whose operator commutes, with several interleaved accumulators.
//!
//! ```text
//! for i < n { s = s + a[i] }
//! ```
//! becomes
//! ```text
//! let q = n / 32
//! if 0 < q {
//!   local s'[32]
//!   for l < 32 { s'[l] = 0 }
//!   for k < q { for l < 32 { let i' = k*32 + l; s'[l] = s'[l] + a[i'] } }
//!   for l < 16 { s'[l] = s'[l] + s'[l + 16] } …
//!   s = s'[0]
//! }
//! let t = q*32
//! for r < n - t { let i = t + r; s = s + a[i] }
//! ```
//! so that the C compiler may use vectors although the order of additions of floats matters to it. It reorders built-in
//! operations on integers by itself. Only for bodies without control, which are written twice.

use super::Lower;
use super::par::{Acc, is_built_in};
use crate::{Exp, Hint, Stm};
use kenaz_ir::visit::copy_lambda;
use kenaz_ir::{CmpOp, Name, OpKind, Par};
use kenaz_syntax::ast::Prim;
use rustc_hash::FxHashMap;

/// Bodies and operators with more statements than this are written once.
const MOST_STATEMENTS: usize = 48;
const MOST_IN_OPERATOR: usize = 8;

/// The accumulators of a reduction side by side: enough vectors of any width to hide how long an addition takes. A loop
/// over 16 or fewer is unrolled by gcc before it looks for vectors, and then it does not find all of them.
const LANES: i64 = 32;

const INDEPENDENT: Hint = Hint { independent: true, unroll: false };

impl Lower<'_> {
    /// The loop of a `par` with one dimension, whose body is given.
    pub(super) fn reduce_loop(
        &mut self,
        par: &Par,
        accs: &[Vec<Acc>],
        var: Name,
        bound: Exp,
        hint: Hint,
        body: Vec<Stm>,
    ) {
        if body.is_empty() {
            return;
        }
        let Some(vars) = lane_variables(par, accs, &body) else {
            return self.push(Stm::For { var, prim: Prim::I64, bound, hint, body });
        };
        if matches!(bound, Exp::Const(c) if c.as_i64().is_some_and(|n| n < 2 * LANES)) {
            return self.push(Stm::For { var, prim: Prim::I64, bound, hint, body });
        }
        let rounds = Exp::Quot(Box::new(bound.clone()), Box::new(Exp::i64(LANES)));
        let rounds = self.let_index("q", rounds);
        let many = self.scoped(false, |cx| cx.in_lanes(par, &vars, var, &rounds, &body));
        let cond = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::i64(0)), Box::new(rounds.clone()));
        self.push(Stm::If { cond, yes: many, no: Vec::new() });
        let done = self.let_index("t", Exp::Mul(Box::new(rounds), Box::new(Exp::i64(LANES))));
        let rest = self.fresh("r");
        let value = Exp::Add(Box::new(done.clone()), Box::new(Exp::Var(rest, Prim::I64)));
        let mut tail = vec![Stm::Let { name: var, prim: Prim::I64, value }];
        tail.extend(body);
        let bound = Exp::Sub(Box::new(bound), Box::new(done));
        let bound = self.let_index("n", bound);
        self.push(Stm::For { var: rest, prim: Prim::I64, bound, hint, body: tail });
    }

    fn let_index(&mut self, base: &str, value: Exp) -> Exp {
        let name = self.fresh(base);
        self.variable(name, Prim::I64);
        self.push(Stm::Let { name, prim: Prim::I64, value });
        Exp::Var(name, Prim::I64)
    }

    /// As many rounds over all lanes as fit, and their combination.
    fn in_lanes(&mut self, par: &Par, vars: &[(Name, Prim)], i: Name, rounds: &Exp, body: &[Stm]) {
        let mut blocks: FxHashMap<Name, Name> = FxHashMap::default();
        for (name, prim) in vars {
            let block = self.fresh.like(*name);
            blocks.insert(*name, block);
            self.push(Stm::Local { name: block, prim: *prim, len: LANES.unsigned_abs() });
        }
        let lane = self.fresh("l");
        let at = Exp::Var(lane, Prim::I64);
        let neutral = par.reduces().flat_map(|op| &op.neutral);
        let init: Vec<Stm> = vars
            .iter()
            .zip(neutral)
            .map(|((name, prim), neutral)| Stm::Store {
                block: blocks[name],
                prim: *prim,
                index: at.clone(),
                value: self.operand(*neutral),
            })
            .collect();
        self.push_lanes(lane, LANES, init);

        let (round, lane) = (self.fresh("k"), self.fresh("l"));
        let at = Exp::Var(lane, Prim::I64);
        let base = Exp::Mul(Box::new(Exp::Var(round, Prim::I64)), Box::new(Exp::i64(LANES)));
        let base_name = self.fresh("b");
        let value = Exp::Add(Box::new(Exp::Var(base_name, Prim::I64)), Box::new(at.clone()));
        let index = self.fresh.like(i);
        let mut inner = vec![Stm::Let { name: index, prim: Prim::I64, value }];
        inner.extend(self.lane_body(body, &blocks, &at, i, index));
        let prim = Prim::I64;
        let body = vec![
            Stm::Let { name: base_name, prim, value: base },
            Stm::For { var: lane, prim, bound: Exp::i64(LANES), hint: INDEPENDENT, body: inner },
        ];
        self.push(Stm::For { var: round, prim, bound: rounds.clone(), hint: Hint::default(), body });

        let mut width = LANES / 2;
        while width > 0 {
            self.halve(par, vars, &blocks, width);
            width /= 2;
        }
        for (name, prim) in vars {
            let index = Box::new(Exp::i64(0));
            self.push(Stm::Set { name: *name, value: Exp::Load { block: blocks[name], prim: *prim, index } });
        }
    }

    fn push_lanes(&mut self, lane: Name, width: i64, body: Vec<Stm>) {
        let bound = Exp::i64(width);
        self.push(Stm::For { var: lane, prim: Prim::I64, bound, hint: INDEPENDENT, body });
    }

    /// A copy of the body, for the lane at an index: other names, and a lane for each accumulator.
    fn lane_body(&mut self, body: &[Stm], blocks: &FxHashMap<Name, Name>, at: &Exp, i: Name, index: Name) -> Vec<Stm> {
        let mut names: FxHashMap<Name, Name> = FxHashMap::from_iter([(i, index)]);
        let mut copy = Vec::with_capacity(body.len());
        for stm in body {
            let mut stm = stm.clone();
            stm.for_each_exp_mut(|x| {
                x.walk_mut(&mut |x| {
                    let Exp::Var(name, prim) = x else { return };
                    if let Some(block) = blocks.get(name) {
                        *x = Exp::Load { block: *block, prim: *prim, index: Box::new(at.clone()) };
                    } else if let Some(new) = names.get(name) {
                        *name = *new;
                    }
                });
            });
            match &mut stm {
                Stm::Let { name, .. } => {
                    let new = self.fresh.like(*name);
                    names.insert(*name, new);
                    *name = new;
                }
                Stm::Set { name, value } => {
                    let value = std::mem::replace(value, Exp::i64(0));
                    stm = Stm::Store { block: blocks[name], prim: value.prim(), index: at.clone(), value };
                }
                _ => {}
            }
            copy.push(stm);
        }
        copy
    }

    /// Combines the upper half of twice as many lanes with the lower half.
    fn halve(&mut self, par: &Par, vars: &[(Name, Prim)], blocks: &FxHashMap<Name, Name>, width: i64) {
        let lane = self.fresh("l");
        let low = Exp::Var(lane, Prim::I64);
        let high = Exp::Add(Box::new(low.clone()), Box::new(Exp::i64(width)));
        let body = self.scoped(true, |cx| {
            cx.variable(lane, Prim::I64);
            let mut vars = vars;
            for op in par.reduces() {
                let (these, rest) = vars.split_at(op.neutral.len());
                vars = rest;
                let load = |index: &Exp| {
                    let load = |(name, prim): &(Name, Prim)| Exp::Load {
                        block: blocks[name],
                        prim: *prim,
                        index: Box::new(index.clone()),
                    };
                    these.iter().map(load).collect::<Vec<Exp>>()
                };
                let args = [load(&low), load(&high)].concat();
                let lambda = copy_lambda(&op.lambda, cx.fresh);
                let results = cx.apply(&lambda, args);
                for ((name, prim), value) in these.iter().zip(results) {
                    cx.push(Stm::Store { block: blocks[name], prim: *prim, index: low.clone(), value });
                }
            }
        });
        self.push_lanes(lane, width, body);
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
            Acc::Array(_) => return None,
        }
    }
    let is_plain = |stm: &Stm| match stm {
        Stm::Let { .. } | Stm::Store { .. } => true,
        Stm::Set { name, .. } => vars.iter().any(|(var, _)| var == name),
        _ => false,
    };
    (helps && body.iter().all(is_plain)).then_some(vars)
}
