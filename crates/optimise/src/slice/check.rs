//! Checks in lambdas and loops that can be made in front of them.

use super::backward::{self, Defined, Defs, Slice, is_partial};
use super::{Slicer, plain, remove_at};
use kenaz_base::Prim;
use kenaz_ir::facts::Answer;
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{
    BinOp, Body, CmpOp, DecisionKind, Exp, Lambda, LocId, LoopForm, Message, MessagePart, Name, Operand, Param, Reduce,
    Scalar, Soac, Stm, Type, UnOp,
};
use rustc_hash::FxHashSet;

/// The most checks of one body that are looked at, so that slices, which may overlap, do not add up.
pub(super) const MOST_CHECKS: usize = 256;

/// When a body runs.
#[derive(Clone, Copy)]
enum Runs {
    Always,
    /// If a number of this type is positive.
    Times(Operand, Prim),
    /// If a boolean is true.
    If(Operand),
    /// If a boolean is false.
    Unless(Operand),
}

/// A body out of which checks are to go.
struct Place<'a> {
    rule: &'static str,
    runs: Runs,
    /// The parameters, which change from one run to the next.
    params: Vec<Param>,
    /// The arrays of which the parameters are the rows, if they are.
    rows: Option<(Operand, &'a [Name])>,
    /// Whether it is worth while only for what does not change in the body around the statement.
    only_same: bool,
    /// The certificates of the statement around the body.
    certs: &'a [Name],
}

impl Slicer<'_> {
    pub(super) fn checks_of_lambda(
        &mut self,
        width: Operand,
        arrays: &[Name],
        lambda: &mut Lambda,
        certs: &[Name],
        out: &mut Vec<Stm>,
    ) {
        let runs = Runs::Times(width, Prim::I64);
        let params = lambda.params.clone();
        let place =
            Place { rule: "slice-check-map", runs, params, rows: Some((width, arrays)), only_same: false, certs };
        self.checks(&mut lambda.body, place, out);
    }

    pub(super) fn checks_of_body_run_once(&mut self, lambda: &mut Lambda, certs: &[Name], out: &mut Vec<Stm>) {
        let params = lambda.params.clone();
        let place = Place { rule: "slice-check-map", runs: Runs::Always, params, rows: None, only_same: false, certs };
        self.checks(&mut lambda.body, place, out);
    }

    pub(super) fn checks_of_loop(
        &mut self,
        params: &[(Param, Operand)],
        form: &LoopForm,
        body: &mut Body,
        certs: &[Name],
        out: &mut Vec<Stm>,
    ) {
        let mut names: Vec<Param> = params.iter().map(|(p, _)| p.clone()).collect();
        let runs = match form {
            LoopForm::For(i, prim, n) => {
                names.push(Param::new(*i, Type::Prim(*prim)));
                Runs::Times(*n, *prim)
            }
            LoopForm::While(cond) => {
                let first = params.iter().find(|(p, _)| p.name == *cond);
                Runs::If(first.map_or(Operand::bool(true), |(_, init)| *init))
            }
        };
        let place = Place { rule: "slice-check-loop", runs, params: names, rows: None, only_same: false, certs };
        self.checks(body, place, out);
    }

    /// A branch that is taken, or not, in every run of the body around it, as far as a check in it depends on that.
    pub(super) fn checks_of_branch(&mut self, exp: &mut Exp, certs: &[Name], out: &mut Vec<Stm>) {
        let Exp::If(cond, yes, no) = exp else { return };
        if !self.stays_the_same(*cond) {
            return;
        }
        for (body, runs) in [(yes, Runs::If(*cond)), (no, Runs::Unless(*cond))] {
            let place =
                Place { rule: "slice-check-branch", runs, params: Vec::new(), rows: None, only_same: true, certs };
            self.checks(body, place, out);
        }
    }

    /// Moves checks out of a body in front of the statement it stands in.
    fn checks(&mut self, body: &mut Body, place: Place<'_>, out: &mut Vec<Stm>) {
        let checks: Vec<usize> =
            (0..body.stms.len()).filter(|i| matches!(body.stms[*i].exp, Exp::Assert(..))).take(MOST_CHECKS).collect();
        if checks.is_empty() {
            return;
        }
        let runs = self.simplest(place.runs);
        let params: FxHashSet<Name> = place.params.iter().map(|p| p.name).collect();
        let resized: FxHashSet<Name> = body
            .stms
            .iter()
            .filter(|stm| matches!(stm.exp, Exp::Resize(..)))
            .flat_map(|stm| stm.certs.iter().copied())
            .collect();
        let mut defs = Defs::of(&body.stms);
        let mut moved: FxHashSet<usize> = FxHashSet::default();
        for at in checks {
            let stm = &body.stms[at];
            let Exp::Assert(cond, message) = &stm.exp else { continue };
            let targets = needs(*cond, message).chain(stm.certs.iter().map(|c| Operand::Var(*c)));
            let is_size = stm.pat.iter().any(|p| resized.contains(&p.name));
            let slice = match Slice::of(&body.stms, &defs, targets, &self.cheap) {
                Ok(slice) => slice,
                Err(reason) => {
                    if is_size {
                        self.log.decide(DecisionKind::SizeCheckStaysInside, stm.loc, reason);
                    }
                    continue;
                }
            };
            let defined = slice.defined(&body.stms, |at| moved.contains(&at), &self.cheap);
            if slice.has_assert() || defined == Defined::Here {
                continue;
            }
            if place.only_same && !slice.free.iter().all(|name| self.stays_the_same((*name).into())) {
                continue;
            }
            if slice.free.iter().all(|name| !params.contains(name)) {
                if !self.log.fire(place.rule) {
                    continue;
                }
                self.check_once(&body.stms, stm.clone(), slice, defined, runs, place.certs, &mut defs, &mut moved, out);
            } else if let Some(rows) = place.rows
                && is_size
            {
                let used: Vec<&Param> = place.params.iter().filter(|p| slice.free.contains(&p.name)).collect();
                if used.iter().any(|p| p.ty.prim().is_none()) || !self.log.fire("slice-check-rows") {
                    continue;
                }
                self.check_rows(stm.clone(), slice, &place.params, rows, place.certs, out);
            } else {
                continue;
            }
            defs.forget(&body.stms[at]);
            moved.insert(at);
        }
        remove_at(&mut body.stms, &moved);
    }

    /// A body that is known to run needs no condition.
    fn simplest(&self, runs: Runs) -> Runs {
        match runs {
            Runs::Times(n, Prim::I64) if self.facts.proves_lt(Operand::i64(0), n) => Runs::Always,
            Runs::If(x) if self.facts.decide(x) == Answer::Proved => Runs::Always,
            Runs::Unless(x) if self.facts.decide(x) == Answer::Refuted => Runs::Always,
            runs => runs,
        }
    }

    /// A check that is the same for every run of the body.
    #[expect(clippy::too_many_arguments, reason = "all of them describe one body")]
    fn check_once(
        &mut self,
        stms: &[Stm],
        mut check: Stm,
        slice: Slice,
        defined: Defined,
        runs: Runs,
        certs: &[Name],
        defs: &mut Defs,
        moved: &mut FxHashSet<usize>,
        out: &mut Vec<Stm>,
    ) {
        let Exp::Assert(cond, message) = &mut check.exp else { unreachable!("a check") };
        let is_partial_slice = defined != Defined::Always;
        let has_bodies = slice.stms.iter().any(|stm| matches!(stm.exp, Exp::If(..) | Exp::Match(..)));
        let mut guarded = false;
        if !is_partial_slice && !has_bodies {
            // Nothing keeps these inside.
            for (place, stm) in slice.places.iter().zip(slice.stms) {
                defs.forget(&stms[*place]);
                moved.insert(*place);
                out.push(stm);
            }
        } else {
            let (mut part, values) = self.computed(slice, *cond, message);
            if is_partial_slice {
                vouch(&mut part.stms, certs, &self.cheap);
            }
            let results = std::mem::take(&mut part.results);
            if is_partial_slice && !matches!(runs, Runs::Always) {
                guarded = true;
                let runs = self.whether_runs(runs, check.loc, out);
                let zeros = values.iter().map(|(_, ty)| zero(ty));
                let otherwise = [Operand::bool(true)].into_iter().chain(zeros).collect();
                let mut pat = vec![Param::new(self.fresh.named("ok"), Type::BOOL)];
                pat.extend(values.iter().map(|(x, ty)| Param::new(self.fresh.like(*x), ty.clone())));
                let outside: Vec<Operand> = pat.iter().map(|p| p.name.into()).collect();
                part.results = results;
                let exp = Exp::If(runs, part, Body { stms: Vec::new(), results: otherwise });
                out.push(plain(pat, exp, check.loc));
                replace_needs(cond, message, &values, &outside);
            } else {
                out.extend(part.stms);
                replace_needs(cond, message, &values, &results);
            }
        }
        if !matches!(runs, Runs::Always) {
            self.conditional.extend(check.pat.iter().map(|p| p.name));
        }
        if !guarded {
            *cond = self.unless_idle(*cond, runs, check.loc, out);
        }
        out.push(check);
    }

    /// A check that depends on the rows: made for all of them, of which the first that fails is told about.
    fn check_rows(
        &mut self,
        mut check: Stm,
        slice: Slice,
        params: &[Param],
        (width, arrays): (Operand, &[Name]),
        certs: &[Name],
        out: &mut Vec<Stm>,
    ) {
        let loc = check.loc;
        let Exp::Assert(cond, message) = &mut check.exp else { unreachable!("a check") };
        let (used, arrays): (Vec<Param>, Vec<Name>) = params
            .iter()
            .zip(arrays)
            .filter(|(p, _)| slice.free.contains(&p.name))
            .map(|(p, a)| (Param { unique: false, ..p.clone() }, *a))
            .unzip();
        let mut values: Vec<(Name, Type)> = Vec::new();
        let bound = slice.stms.iter().flat_map(|stm| &stm.pat).chain(&used);
        let bound: Vec<(Name, Type)> = bound.map(|p| (p.name, p.ty.clone())).collect();
        for x in needs(*cond, message).skip(1).filter_map(Operand::name) {
            if let Some(value) = bound.iter().find(|(name, _)| *name == x)
                && !values.contains(value)
            {
                values.push(value.clone());
            }
        }
        let mut stms = slice.stms;
        vouch(&mut stms, certs, &self.cheap);
        let mut results = vec![*cond];
        let mut ret = vec![Type::BOOL];
        if !values.is_empty() {
            // Only of rows that fail.
            let pat: Vec<Param> = values.iter().map(|(x, ty)| Param::new(self.fresh.like(*x), ty.clone())).collect();
            results.extend(pat.iter().map(|p| Operand::Var(p.name)));
            ret.extend(values.iter().map(|(_, ty)| ty.clone()));
            let fine = Body { stms: Vec::new(), results: values.iter().map(|(_, ty)| zero(ty)).collect() };
            let wrong = Body { stms: Vec::new(), results: values.iter().map(|(x, _)| Operand::Var(*x)).collect() };
            stms.push(plain(pat, Exp::If(*cond, fine, wrong), loc));
        }
        let map = copy_lambda(&Lambda { params: used, body: Body { stms, results }, ret: ret.clone() }, self.fresh);
        let reduce = self.first_failure(&ret, loc);
        let mut pat = vec![Param::new(self.fresh.named("ok"), Type::BOOL)];
        pat.extend(values.iter().map(|(x, ty)| Param::new(self.fresh.like(*x), ty.clone())));
        let outside: Vec<Operand> = pat.iter().map(|p| p.name.into()).collect();
        let exp = Exp::Soac(Soac::Screma { width, arrays, map, scans: Vec::new(), reduces: vec![reduce], post: None });
        out.push(plain(pat, exp, loc));
        replace_needs(cond, message, &values, &outside);
        out.push(check);
    }

    /// The reduction that finds the first row of which a boolean is false, with the values of that row.
    fn first_failure(&mut self, ret: &[Type], loc: LocId) -> Reduce {
        let mut param = |base: &str| -> Vec<Param> {
            ret.iter().map(|ty| Param::new(self.fresh.named(base), ty.clone())).collect()
        };
        let (a, b, both) = (param("a"), param("b"), param("ok"));
        let operands = |params: &[Param]| params.iter().map(|p| Operand::Var(p.name)).collect::<Vec<_>>();
        let results = operands(&both);
        let exp = if ret.len() == 1 {
            Exp::Bin(BinOp::And, a[0].name.into(), b[0].name.into())
        } else {
            let [first, second] = [&a, &b].map(|side| Body { stms: Vec::new(), results: operands(side) });
            Exp::If(a[0].name.into(), second, first)
        };
        let body = Body { stms: vec![plain(both, exp, loc)], results };
        let neutral = [Operand::bool(true)].into_iter().chain(ret[1..].iter().map(zero)).collect();
        let op = Lambda { params: [a, b].concat(), body, ret: ret.to_vec() };
        Reduce { op, neutral, commutative: ret.len() == 1 }
    }

    /// A copy of a slice that yields the condition and those values of the message that it binds.
    fn computed(&mut self, slice: Slice, cond: Operand, message: &Message) -> (Body, Vec<(Name, Type)>) {
        let mut values: Vec<(Name, Type)> = Vec::new();
        for x in needs(cond, message).skip(1).filter_map(Operand::name) {
            let mut pats = slice.stms.iter().flat_map(|stm| &stm.pat);
            if let Some(param) = pats.find(|p| p.name == x)
                && !values.iter().any(|(name, _)| *name == x)
            {
                values.push((x, param.ty.clone()));
            }
        }
        let results = [cond].into_iter().chain(values.iter().map(|(x, _)| Operand::Var(*x))).collect();
        (copy_body(&Body { stms: slice.stms, results }, self.fresh), values)
    }

    /// A condition that also holds when the body does not run.
    fn unless_idle(&mut self, cond: Operand, runs: Runs, loc: LocId, out: &mut Vec<Stm>) -> Operand {
        let idle = match runs {
            Runs::Always => return cond,
            Runs::Times(n, prim) => Exp::Cmp(CmpOp::Le, n, Operand::Const(Scalar::from_bits(prim, 0))),
            Runs::If(x) => Exp::Un(UnOp::Not, x),
            Runs::Unless(x) => return self.bool("ok", Exp::Bin(BinOp::Or, x, cond), loc, out),
        };
        let idle = self.bool("idle", idle, loc, out);
        self.bool("ok", Exp::Bin(BinOp::Or, idle, cond), loc, out)
    }

    fn whether_runs(&mut self, runs: Runs, loc: LocId, out: &mut Vec<Stm>) -> Operand {
        match runs {
            Runs::Always => Operand::bool(true),
            Runs::Times(n, prim) => {
                let zero = Operand::Const(Scalar::from_bits(prim, 0));
                self.bool("runs", Exp::Cmp(CmpOp::Lt, zero, n), loc, out)
            }
            Runs::If(x) => x,
            Runs::Unless(x) => self.bool("runs", Exp::Un(UnOp::Not, x), loc, out),
        }
    }

    fn bool(&mut self, base: &str, exp: Exp, loc: LocId, out: &mut Vec<Stm>) -> Operand {
        let name = self.fresh.named(base);
        out.push(plain(vec![Param::new(name, Type::BOOL)], exp, loc));
        name.into()
    }
}

/// The condition of a check, then the values in its message.
pub(super) fn needs(cond: Operand, message: &Message) -> impl Iterator<Item = Operand> + '_ {
    let values = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text(_) => None,
        MessagePart::Value(x) => Some(*x),
    });
    [cond].into_iter().chain(values)
}

/// Puts the results of a slice in the place of the condition, which is the first, and of values in the message.
fn replace_needs(cond: &mut Operand, message: &mut Message, values: &[(Name, Type)], results: &[Operand]) {
    *cond = results[0];
    for part in &mut message.parts {
        if let MessagePart::Value(x) = part
            && let Some(i) = values.iter().position(|(name, _)| *x == Operand::Var(*name))
        {
            *x = results[i + 1];
        }
    }
}

/// Adds certificates to what needs some.
pub(super) fn vouch(stms: &mut [Stm], certs: &[Name], cheap: &backward::CheapFuns) {
    for stm in stms {
        if is_partial(stm, cheap) {
            let new: Vec<Name> = certs.iter().copied().filter(|c| !stm.certs.contains(c)).collect();
            stm.certs.extend(new);
        }
    }
}

fn zero(ty: &Type) -> Operand {
    Operand::Const(Scalar::from_bits(ty.prim().unwrap_or(Prim::Bool), 0))
}
