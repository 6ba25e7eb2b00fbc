//! Branches, loops and calls.

use super::{Code, Compiler, Context, Live, unused};
use crate::code::{Inst, Place, Reg, Slot};
use crate::vector::vectorise;
use kenaz_base::{Prim, Symbol};
use kenaz_ir::visit::free_in_body;
use kenaz_ir::{Body, LocId, LoopForm, Operand, Param, Scalar};

/// What counts the iterations of a loop, and up to where.
pub(super) struct Counter {
    pub i: Reg,
    pub n: Reg,
    pub unsigned: bool,
}

impl Compiler {
    pub(super) fn conditional(&mut self, condition: Operand, yes: &Body, no: &Body, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let a = self.scalar(condition);
        let mut branches = self.branches([yes, no], cx).into_iter();
        let (yes, no) = (branches.next().unwrap_or_default(), branches.next().unwrap_or_default());
        let mut code = Code::default();
        code.push(Inst::Unless { a, to: yes.len() + 1 }, loc);
        code.append(yes);
        code.push(Inst::Jump { to: no.len() }, loc);
        code.append(no);
        code
    }

    pub(super) fn choice(&mut self, x: Operand, cases: &[(Scalar, Body)], default: &Body, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let a = self.scalar(x);
        // Tests, then the default, then the cases; each of these jumps to the end.
        let bodies = self.branches([default].into_iter().chain(cases.iter().map(|(_, body)| body)), cx);
        let total: i32 = bodies.iter().map(|body| body.len() + 1).sum();
        let mut code = Code::default();
        let mut start = bodies[0].len() + 1;
        for (k, (value, _)) in cases.iter().enumerate() {
            let tests_left = cases.len() - k - 1;
            let b = self.constant(value.bits());
            code.push(Inst::Equal { a, b, to: tests_left as i32 + start }, loc);
            start += bodies[k + 1].len() + 1;
        }
        let mut done = 0;
        for body in bodies {
            done += body.len() + 1;
            code.append(body);
            code.push(Inst::Jump { to: total - done }, loc);
        }
        code
    }

    /// Bodies of which one runs. Each gives up at its start what only the others use.
    fn branches<'b>(&mut self, bodies: impl IntoIterator<Item = &'b Body>, cx: &mut Context) -> Vec<Code> {
        let dests: Vec<Place> = cx.pat.iter().map(|p| self.place(p.name)).collect();
        let branches: Vec<(Code, Live)> =
            bodies.into_iter().map(|body| self.body(body, &dests, cx.live, cx.loc)).collect();
        for (_, live) in &branches {
            cx.used.extend(live.difference(cx.live).copied());
        }
        branches
            .into_iter()
            .map(|(inner, live)| {
                let mut dead: Vec<Slot> = cx.used.difference(&live).copied().collect();
                dead.sort_unstable();
                let mut code = Code::default();
                code.kill(dead, cx.loc);
                code.append(inner);
                code
            })
            .collect()
    }

    pub(super) fn iteration(
        &mut self,
        params: &[(Param, Operand)],
        form: &LoopForm,
        body: &Body,
        cx: &mut Context,
    ) -> Code {
        let loc = cx.loc;
        let places: Vec<Place> = params.iter().map(|(p, _)| self.place(p.name)).collect();
        let mut outside = free_in_body(body);
        for (param, _) in params {
            outside.remove(&param.name);
        }
        let mut live: Live = self.slots(outside);
        live.extend(cx.live.iter().copied());
        let initial: Vec<(Place, Operand)> = places.iter().copied().zip(params.iter().map(|(_, x)| *x)).collect();
        let mut code = self.moves(&initial, &live, &mut cx.taken, loc);
        let (inner, needed) = self.body(body, &places, &live, loc);
        let mut round = Code::default();
        round.kill(unused(&places, &needed), loc);
        round.append(inner);
        match form {
            LoopForm::For(name, prim, n) => {
                let (i, n) = (self.scalar(Operand::Var(*name)), self.scalar(*n));
                self.counted(Counter { i, n, unsigned: *prim == Prim::U64 }, &places, round, &mut code, loc);
            }
            LoopForm::While(name) => {
                let a = self.scalar(Operand::Var(*name));
                code.push(Inst::Unless { a, to: round.len() + 1 }, loc);
                let to = -(round.len() + 2);
                code.append(round);
                code.push(Inst::Back { to }, loc);
            }
        }
        let results: Vec<Place> = cx.pat.iter().map(|p| self.place(p.name)).collect();
        self.hand_over(results.into_iter().zip(places), &mut code, loc);
        code
    }

    /// A loop from 0 to below `n`. The registers among the results are needed after it.
    pub(super) fn counted(
        &mut self,
        Counter { i, n, unsigned }: Counter,
        results: &[Place],
        round: Code,
        code: &mut Code,
        loc: LocId,
    ) {
        let zero = self.constant(0);
        let (skip, again) = (round.len() + 1, -(round.len() + 1));
        code.push(Inst::Move { d: i, a: zero }, loc);
        let results: Vec<Reg> = results
            .iter()
            .filter_map(|place| match place {
                Place::Reg(reg) => Some(*reg),
                Place::Slot(_) | Place::Nowhere => None,
            })
            .collect();
        if !self.options.scalar_only
            && let Some(vector) = vectorise(&round.insts, i, &results, &self.out.twos)
        {
            let id = u32::try_from(self.out.vectors.len()).expect("more than 2^32 loops");
            self.out.vectors.push(vector);
            code.push(Inst::Vector { id, i, n }, loc);
        }
        code.push(
            if unsigned {
                Inst::UnlessLessUnsigned { a: i, b: n, to: skip }
            } else {
                Inst::UnlessLess { a: i, b: n, to: skip }
            },
            loc,
        );
        code.append(round);
        code.push(if unsigned { Inst::NextUnsigned { i, n, to: again } } else { Inst::Next { i, n, to: again } }, loc);
    }

    pub(super) fn call(&mut self, f: Symbol, args: &[Operand], cx: &mut Context) -> Code {
        let Some(&f) = self.out.by_name.get(&f) else {
            panic!("a call of `{f}`, which is not a function before this one")
        };
        let routine = &self.out.routines[f];
        let (start, params, results) = (routine.start, routine.params.clone(), routine.results.clone());
        let moves: Vec<(Place, Operand)> = params.into_iter().zip(args.iter().copied()).collect();
        let mut code = self.moves(&moves, cx.live, &mut cx.taken, cx.loc);
        code.push(Inst::Call { to: start }, cx.loc);
        let bound: Vec<Place> = cx.pat.iter().map(|p| self.place(p.name)).collect();
        self.hand_over(bound.into_iter().zip(results), &mut code, cx.loc);
        code
    }
}
