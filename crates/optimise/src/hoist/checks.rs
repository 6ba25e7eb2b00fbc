//! Checks that leave loops, lambdas and branches.
//!
//! A check that is the same in every iteration is made once in front, where it must also pass when there is no
//! iteration: `assert (or (le n 0) q)`. Out of a branch it passes when the branch is not taken, but it leaves a branch
//! only on the way out of a loop or lambda.
//!
//! A check of the iteration's index `i`, which goes through 0, …, n-1, is made for the first and the last one. Its
//! condition is a conjunction of comparisons of `i + b` or `b - i` with something that does not change, so it holds in
//! between if it holds at both ends, provided that `i + b` does not wrap around on the way. That is so if `b` is a
//! small constant, and also if one of the comparisons is `0 <= i + b`: for `b >= 0`, the last sum is negative if it
//! wraps. Comparisons that hold by themselves, such as `i < n`, are left out; if nothing is left, or what is known at
//! the place of the check proves it, the check is gone. So only what is neither evident nor regular stays inside. The
//! message of such a check shows the first or last index, whichever fails.
//!
//! Any other check that depends on the index alone is made for all indices by a loop of its own, if that loop can stand
//! in front of a loop or lambda around this one, so that it runs less often:
//!
//! ```text
//! map n (a) \(x) -> {                               let o, w = loop (o_1 = true, w_1 = 0) for i < m {
//!   map m (iota m) \(i) -> {                          let q = …i…
//!     let q: bool = …i…                     →         … in and o_1 q, the first i of which q is false
//!     let c: cert = assert q "…{i}…"                }
//!     …                                             let c: cert = assert (or … o) "…{w}…"
//! ```

use super::nature::{Nature, can_repeat};
use super::{About, Direct, Hoist, Run, plain};
use kenaz_base::Prim;
use kenaz_ir::visit::{Visit, free_in_stm};
use kenaz_ir::{
    Attrs, BinOp, Body, CmpOp, DecisionKind, Exp, LocId, LoopForm, Message, MessagePart, Name, Operand, Param, Scalar,
    Stm, Type, UnOp,
};
use rustc_hash::FxHashMap;

/// Conditions of more comparisons than this, and computations of more steps, are not taken apart.
const MOST: usize = 32;

/// A value as the index of an iteration, with this sign, plus something that does not change.
#[derive(Clone, Copy)]
struct Affine {
    sign: i64,
    /// What is added, if it is a constant.
    constant: Option<i64>,
}

/// The body of a loop in the making that computes something for every index of a level.
struct Copies {
    index: Operand,
    level: usize,
    /// The names that are already computed there, and by what.
    known: FxHashMap<Name, Operand>,
    stms: Vec<Stm>,
    loc: LocId,
}

/// The way of a check to an outer level.
pub(super) struct Way {
    /// How far it can go.
    pub reach: usize,
    /// How far it should go: to just outside a loop or lambda.
    pub best: usize,
    /// The innermost level of what says whether the levels on the way run.
    pub guard: usize,
}

impl Hoist<'_> {
    /// Puts a check as far out as it can go.
    pub(super) fn check(&mut self, mut stm: Stm, nature: Nature) {
        let mut at = self.levels.len() - 1;
        while at > 0 && !nature.pinned {
            if self.is_evident(&stm) && self.log.fire("prove-check") {
                stm.certs.clear();
                stm.exp = Exp::Assert(Operand::bool(true), Message::new(Vec::new()));
                at = 0;
                break;
            }
            let root = self.root(&stm);
            let way = self.way(at, root, |_| true);
            if way.reach == root && root > 0 && way.guard < root && self.index_check(&mut stm, at, root) {
                at = root - 1;
                continue;
            }
            let way = self.way(at, self.uses(&stm).uses.last(), |_| true);
            if way.best == at || !self.log.fire("hoist-check") {
                break;
            }
            self.guard(&mut stm, way.best, at);
            at = way.best;
        }
        if (0..=at).any(|k| self.levels[k].run.repeats()) {
            self.explain(&stm);
        }
        let mut about = self.uses(&stm);
        about.nature = Nature { checks: true, partial: true, ..nature };
        self.put(stm, at, &about);
    }

    fn uses(&self, stm: &Stm) -> About {
        let mut about = About::default();
        Direct(|name| self.add_use(name, &mut about)).stm(stm);
        about
    }

    /// The innermost level of what a check is computed from by steps that can be repeated.
    fn root(&self, stm: &Stm) -> usize {
        let Exp::Assert(cond, message) = &stm.exp else { return 0 };
        let mut last = stm.certs.iter().map(|cert| self.level_of((*cert).into())).max().unwrap_or(0);
        let mut todo = vec![*cond];
        todo.extend(values(message));
        let mut steps = 0;
        while let Some(x) = todo.pop() {
            steps += 1;
            let level = self.level_of(x);
            if level <= last {
                continue;
            }
            match x.name().and_then(|name| self.defs.get(&name)) {
                Some(exp) if steps <= 4 * MOST && self.can_repeat(x, exp) => {
                    kenaz_ir::visit::for_each_use(exp, |name| todo.push(name.into()));
                }
                _ => last = level,
            }
        }
        last
    }

    /// How far out something can go that needs a level, over levels that it may leave, if there must be a condition
    /// that says whether they run.
    pub(super) fn way(&self, at: usize, needs: usize, may_leave: impl Fn(usize) -> bool) -> Way {
        let mut way = Way { reach: at, best: at, guard: 0 };
        for k in (needs + 1..=at).rev() {
            let Some(guard) = self.guard_level(k) else { break };
            if guard.max(way.guard) > k - 1 || !may_leave(k) {
                break;
            }
            way.guard = guard.max(way.guard);
            way.reach = k - 1;
            if self.levels[k].run.repeats() {
                way.best = k - 1;
            }
        }
        way
    }

    /// The level of what says whether a level runs, if anything does.
    fn guard_level(&self, k: usize) -> Option<usize> {
        match self.levels[k].run {
            Run::Once => Some(0),
            Run::Unknown | Run::Barrier | Run::Else => None,
            Run::Times(..) if self.runs(k) => Some(0),
            Run::Times(x, _) | Run::While(x) | Run::If(x, _) => Some(self.level_of(x)),
        }
    }

    /// The condition under which a level does not run, unless it always does.
    fn skipped(&mut self, k: usize, loc: LocId) -> Option<Operand> {
        if self.levels[k].skipped.is_some() {
            return self.levels[k].skipped;
        }
        let not = |x: Operand| Exp::Un(UnOp::Not, x);
        let exp = match self.levels[k].run {
            Run::Times(..) if self.runs(k) => return None,
            Run::Times(n, prim) => {
                let zero = Operand::Const(Scalar::from_bits(prim, 0));
                Exp::Cmp(CmpOp::Le, n, zero)
            }
            Run::If(x, Scalar::Bool(true)) | Run::While(x) => not(x),
            Run::If(x, Scalar::Bool(false)) => Exp::Operand(x),
            Run::If(x, value) => Exp::Cmp(CmpOp::Ne, x, Operand::Const(value)),
            Run::Once | Run::Unknown | Run::Barrier | Run::Else => return None,
        };
        let skipped = match exp {
            Exp::Operand(x) => x,
            exp => self.scalar("skipped", Type::BOOL, exp, loc),
        };
        self.levels[k].skipped = Some(skipped);
        Some(skipped)
    }

    /// Makes a check at one level pass whenever the levels down to the one where it was do not run.
    fn guard(&mut self, stm: &mut Stm, target: usize, at: usize) {
        let skipped = self.skipped_between(target, at, stm.loc);
        if let (Some(skipped), Exp::Assert(cond, _)) = (skipped, &mut stm.exp) {
            *cond = self.scalar("checked", Type::BOOL, Exp::Bin(BinOp::Or, skipped, *cond), stm.loc);
        }
    }

    /// The condition under which one of the levels inside the first, up to the second, does not run.
    pub(super) fn skipped_between(&mut self, target: usize, at: usize, loc: LocId) -> Option<Operand> {
        // That of fewer levels is part of it, and was perhaps computed before.
        let known =
            (target + 1..=at).rev().find(|k| self.levels[*k].skipped_from.is_some_and(|(from, _)| from == target));
        let mut skipped = known.and_then(|k| self.levels[k].skipped_from).and_then(|(_, skipped)| skipped);
        for k in known.map_or(target + 1, |k| k + 1)..=at {
            skipped = match (skipped, self.skipped(k, loc)) {
                (Some(x), Some(y)) => Some(self.scalar("skipped", Type::BOOL, Exp::Bin(BinOp::Or, x, y), loc)),
                (x, y) => x.or(y),
            };
            self.levels[k].skipped_from = Some((target, skipped));
        }
        skipped
    }

    // Conditions

    /// Whether the condition of a check always holds.
    fn is_evident(&self, stm: &Stm) -> bool {
        let Exp::Assert(cond, _) = &stm.exp else { return false };
        let parts = self.conjunction(*cond);
        !parts.is_empty() && parts.iter().all(|part| self.holds(*part)) || self.facts.decide(*cond).is_proved()
    }

    /// The conditions of which a condition is the conjunction; none if they are too many.
    fn conjunction(&self, cond: Operand) -> Vec<Operand> {
        let mut parts = Vec::new();
        let mut todo = vec![cond];
        let mut steps = 0;
        while let Some(x) = todo.pop() {
            steps += 1;
            if steps > 2 * MOST {
                return Vec::new();
            }
            match x.name().and_then(|name| self.defs.get(&name)) {
                Some(Exp::Bin(BinOp::And, x, y)) => todo.extend([*y, *x]),
                Some(Exp::Operand(x)) => todo.push(*x),
                _ => parts.push(x),
            }
        }
        parts
    }

    /// The comparison that a condition is, as `x < y` or `x <= y`.
    fn comparison(&self, cond: Operand) -> Option<(CmpOp, Operand, Operand)> {
        match *self.defs.get(&cond.name()?)? {
            Exp::Cmp(op @ (CmpOp::Lt | CmpOp::Le), x, y) => Some((op, x, y)),
            Exp::Cmp(CmpOp::Gt, x, y) => Some((CmpOp::Lt, y, x)),
            Exp::Cmp(CmpOp::Ge, x, y) => Some((CmpOp::Le, y, x)),
            _ => None,
        }
    }

    /// Whether a condition holds by itself.
    fn holds(&self, cond: Operand) -> bool {
        if cond == Operand::bool(true) {
            return true;
        }
        match self.comparison(cond) {
            Some((CmpOp::Le, Operand::Const(Scalar::I64(..=0)), Operand::Var(x))) => {
                self.is_index(x) || self.sizes.contains_key(&x)
            }
            Some((_, Operand::Var(x), y)) => self.indices.get(&x) == Some(&y),
            _ => false,
        }
    }

    // Indices

    /// Whether a name goes through 0, 1, … in the iterations of a level: as it is, or converted to `i64`.
    fn is_index(&self, name: Name) -> bool {
        self.indices.contains_key(&name)
            || matches!(self.defs.get(&name), Some(Exp::Conv(Prim::I64, Operand::Var(i))) if self.small.contains(i))
    }

    /// Turns a check at one level that depends on the index of the iterations of another, around it or the same, into
    /// one for all of them. The levels between have guards from outside the second one.
    fn index_check(&mut self, stm: &mut Stm, at: usize, k: usize) -> bool {
        let Run::Times(n, prim) = self.levels[k].run else { return false };
        if stm.certs.iter().any(|cert| self.level_of((*cert).into()) >= k) {
            return false;
        }
        let Exp::Assert(cond, message) = &stm.exp else { return false };
        let message = message.clone();
        // The guards of the check: conditions under which nothing is to be checked.
        let mut guards = Vec::new();
        let mut cond = *cond;
        while let Some(Exp::Bin(BinOp::Or, guard, rest)) = cond.name().and_then(|name| self.defs.get(&name)) {
            if self.level_of(*guard) >= k || guards.len() > MOST {
                break;
            }
            guards.push(*guard);
            cond = *rest;
        }
        let parts: Vec<Operand> = self.conjunction(cond).into_iter().filter(|part| !self.holds(*part)).collect();
        let (varying, same): (Vec<Operand>, Vec<Operand>) = parts.iter().partition(|part| self.level_of(**part) >= k);
        let mut steps = 0;
        if parts.is_empty()
            || !varying.iter().copied().chain(values(&message)).all(|x| self.is_repeatable(x, k, &mut steps))
        {
            return false;
        }
        let loc = stm.loc;
        let is_regular = varying.iter().all(|part| self.is_monotone(*part, &parts, k));
        let in_loop = if is_regular { None } else { self.loop_over_checks(&varying, n, prim, k, loc) };
        if is_regular != in_loop.is_none() {
            return false;
        }
        let rule = if is_regular { "hoist-index-check" } else { "hoist-check-loop" };
        if !self.log.fire(rule) {
            return false;
        }
        let mut cond = self.all(&same, loc);
        let mut shown = Operand::i64(0);
        if let Some((stm, about, target)) = in_loop {
            let [holds, first_failure] = [&stm.pat[0], &stm.pat[1]].map(|p| Operand::Var(p.name));
            self.put(stm, target, &about);
            cond = if same.is_empty() { holds } else { self.all(&[cond, holds], loc) };
            shown = first_failure;
        } else if !varying.is_empty() {
            let n = match prim {
                Prim::I64 => n,
                _ => self.scalar("n", Type::I64, Exp::Conv(Prim::I64, n), loc),
            };
            let last = self.scalar("last", Type::I64, Exp::Bin(BinOp::Sub, n, Operand::i64(1)), loc);
            let [first_holds, last_holds] = [Operand::i64(0), last].map(|i| {
                let mut known = FxHashMap::default();
                let parts: Vec<Operand> = varying.iter().map(|x| self.repeat(*x, i, k, &mut known, loc)).collect();
                self.all(&parts, loc)
            });
            let all = if same.is_empty() { vec![first_holds, last_holds] } else { vec![cond, first_holds, last_holds] };
            cond = self.all(&all, loc);
            let is_shown = |part: &MessagePart| matches!(part, MessagePart::Value(x) if self.level_of(*x) >= k);
            if message.parts.iter().any(is_shown) {
                // The first index if that fails, otherwise the last.
                let is_last = self.scalar("is_last", Type::I64, Exp::Conv(Prim::I64, first_holds), loc);
                shown = self.scalar("worst", Type::I64, Exp::Bin(BinOp::Mul, last, is_last), loc);
            }
        }
        for guard in guards.into_iter().rev() {
            cond = self.scalar("checked", Type::BOOL, Exp::Bin(BinOp::Or, guard, cond), loc);
        }
        let mut known = FxHashMap::default();
        let parts = message.parts.into_iter().map(|part| match part {
            MessagePart::Value(x) => MessagePart::Value(self.repeat(x, shown, k, &mut known, loc)),
            text @ MessagePart::Text(_) => text,
        });
        let message = Message { kind: message.kind, parts: parts.collect() };
        stm.exp = Exp::Assert(cond, message);
        self.guard(stm, k - 1, at);
        true
    }

    /// A loop that finds out whether conditions hold for every index of a level, and if not, for which one they do not
    /// first, with the level to which it can go; none if that is not outside of a loop or lambda around the level.
    fn loop_over_checks(
        &mut self,
        conds: &[Operand],
        n: Operand,
        prim: Prim,
        k: usize,
        loc: LocId,
    ) -> Option<(Stm, About, usize)> {
        // The index is converted where it is of a smaller type.
        if prim != Prim::I64 {
            return None;
        }
        let index = self.fresh.named("i");
        let [ok, worst, all_ok, all_worst] = ["ok", "worst", "ok", "worst"].map(|base| self.fresh.named(base));
        let mut body = Copies { index: index.into(), level: k, known: FxHashMap::default(), stms: Vec::new(), loc };
        let mut holds = Operand::Var(ok);
        let conds: Vec<Operand> = conds.iter().map(|x| self.copied(*x, &mut body)).collect();
        for cond in conds {
            holds = self.step("ok", Type::BOOL, Exp::Bin(BinOp::And, holds, cond), &mut body);
        }
        // True in the first iteration that fails: the condition held so far and does not any more.
        let fails = self.step("fails", Type::BOOL, Exp::Cmp(CmpOp::Ne, ok.into(), holds), &mut body);
        let fails = self.step("fails", Type::I64, Exp::Conv(Prim::I64, fails), &mut body);
        let here = self.step("here", Type::I64, Exp::Bin(BinOp::Mul, index.into(), fails), &mut body);
        let found = self.step("worst", Type::I64, Exp::Bin(BinOp::Add, worst.into(), here), &mut body);
        let body = Body { stms: body.stms, results: vec![holds, found] };
        let params =
            vec![(Param::new(ok, Type::BOOL), Operand::bool(true)), (Param::new(worst, Type::I64), Operand::i64(0))];
        let exp = Exp::Loop { params, form: LoopForm::For(index, Prim::I64, n), body };
        let pat = vec![Param::new(all_ok, Type::BOOL), Param::new(all_worst, Type::I64)];
        let stm = Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc };
        let mut about = About { nature: Nature { heavy: true, ..Nature::default() }, ..About::default() };
        for name in free_in_stm(&stm) {
            self.add_use(name, &mut about);
        }
        let target = self.target(k - 1, &about);
        (target < k - 1).then_some((stm, about, target))
    }

    /// A scalar as it is for the index of a loop in the making.
    fn copied(&mut self, x: Operand, body: &mut Copies) -> Operand {
        let Operand::Var(name) = x else { return x };
        if self.level_of(x) < body.level {
            return x;
        }
        if self.is_index(name) {
            return body.index;
        }
        if let Some(known) = body.known.get(&name) {
            return *known;
        }
        let (exp, ty) = match self.defs[&name].clone() {
            Exp::Operand(x) => return self.copied(x, body),
            Exp::Un(op, x) => (Exp::Un(op, self.copied(x, body)), None),
            Exp::Bin(op, x, y) => (Exp::Bin(op, self.copied(x, body), self.copied(y, body)), None),
            Exp::Cmp(op, x, y) => (Exp::Cmp(op, self.copied(x, body), self.copied(y, body)), Some(Type::BOOL)),
            Exp::Conv(to, x) => (Exp::Conv(to, self.copied(x, body)), Some(Type::Prim(to))),
            _ => unreachable!("a definition that can be repeated"),
        };
        let ty = ty.unwrap_or_else(|| self.types[&name].clone());
        let new = self.step(name.base.as_str(), ty, exp, body);
        body.known.insert(name, new);
        new
    }

    /// A scalar in a loop in the making.
    fn step(&mut self, base: &str, ty: Type, exp: Exp, body: &mut Copies) -> Operand {
        let param = Param::new(self.fresh.named(base), ty);
        let name = param.name;
        body.stms.push(plain(param, exp, body.loc));
        name.into()
    }

    /// Whether a comparison that holds for the first and last index of a level holds for all, given that so do the
    /// others.
    fn is_monotone(&self, part: Operand, others: &[Operand], k: usize) -> bool {
        let Some((_, x, y)) = self.comparison(part) else { return false };
        let (Some(a), Some(b)) = (self.affine(x, k, 0), self.affine(y, k, 0)) else { return false };
        let (side, form) = match (a.sign, b.sign) {
            (0, 0) => return true,
            (_, 0) => (x, a),
            (0, _) => (y, b),
            _ => return false,
        };
        let is_small = match (form.sign, form.constant) {
            (1, Some(b)) => (-(1 << 62)..=1).contains(&b),
            (_, Some(b)) => (0..1 << 62).contains(&b),
            (_, None) => false,
        };
        let zero = Operand::i64(0);
        let is_lower = |other: &Operand| {
            self.comparison(*other).is_some_and(|(op, x, y)| op == CmpOp::Le && x == zero && y == side)
        };
        is_small || others.iter().any(is_lower)
    }

    /// A value of type `i64` as a function of the index of a level.
    fn affine(&self, x: Operand, k: usize, steps: usize) -> Option<Affine> {
        let name = match x {
            Operand::Const(c) => return Some(Affine { sign: 0, constant: Some(c.as_i64()?) }),
            Operand::Var(name) => name,
        };
        if self.level_of(x) < k {
            return Some(Affine { sign: 0, constant: None });
        }
        if self.is_index(name) {
            return Some(Affine { sign: 1, constant: Some(0) });
        }
        if steps > MOST {
            return None;
        }
        let of = |x: &Operand| self.affine(*x, k, steps + 1);
        let (a, b, sign) = match self.defs.get(&name)? {
            Exp::Operand(x) => return of(x),
            Exp::Bin(BinOp::Add, x, y) => (of(x)?, of(y)?, 1),
            Exp::Bin(BinOp::Sub, x, y) => (of(x)?, of(y)?, -1),
            _ => return None,
        };
        if a.sign != 0 && b.sign != 0 {
            return None;
        }
        let constant = a.constant.zip(b.constant).and_then(|(a, b)| a.checked_add(sign * b));
        Some(Affine { sign: a.sign + sign * b.sign, constant })
    }

    fn can_repeat(&self, x: Operand, exp: &Exp) -> bool {
        can_repeat(exp, x.name().and_then(|name| self.types.get(&name)))
    }

    /// Whether a scalar is computed from the index of a level and from what is outside by steps that can be repeated.
    fn is_repeatable(&self, x: Operand, k: usize, steps: &mut usize) -> bool {
        let mut todo = vec![x];
        while let Some(x) = todo.pop() {
            let Operand::Var(name) = x else { continue };
            if self.level_of(x) < k || self.is_index(name) {
                continue;
            }
            *steps += 1;
            match self.defs.get(&name) {
                Some(exp) if *steps <= 2 * MOST && self.can_repeat(x, exp) => {
                    kenaz_ir::visit::for_each_use(exp, |name| todo.push(name.into()));
                }
                _ => return false,
            }
        }
        true
    }

    /// Computes such a scalar for an index.
    fn repeat(
        &mut self,
        x: Operand,
        index: Operand,
        k: usize,
        known: &mut FxHashMap<Name, Operand>,
        loc: LocId,
    ) -> Operand {
        let Operand::Var(name) = x else { return x };
        if self.level_of(x) < k {
            return x;
        }
        if self.is_index(name) {
            return index;
        }
        if let Some(known) = known.get(&name) {
            return *known;
        }
        let of = |h: &mut Self, x: Operand, known: &mut FxHashMap<Name, Operand>| h.repeat(x, index, k, known, loc);
        let (exp, ty) = match self.defs[&name].clone() {
            Exp::Operand(x) => return of(self, x, known),
            Exp::Un(op, x) => (Exp::Un(op, of(self, x, known)), None),
            Exp::Bin(op, x, y) => (Exp::Bin(op, of(self, x, known), of(self, y, known)), None),
            Exp::Cmp(op, x, y) => (Exp::Cmp(op, of(self, x, known), of(self, y, known)), Some(Type::BOOL)),
            Exp::Conv(to, x) => (Exp::Conv(to, of(self, x, known)), Some(Type::Prim(to))),
            _ => unreachable!("a definition that can be repeated"),
        };
        let ty = ty.unwrap_or_else(|| self.types[&name].clone());
        let new = self.scalar(name.base.as_str(), ty, exp, loc);
        known.insert(name, new);
        new
    }

    fn all(&mut self, parts: &[Operand], loc: LocId) -> Operand {
        let Some((first, rest)) = parts.split_first() else { return Operand::bool(true) };
        rest.iter().fold(*first, |x, y| self.scalar("and", Type::BOOL, Exp::Bin(BinOp::And, x, *y), loc))
    }

    /// Says why a check stays inside, where people would expect it to leave.
    fn explain(&mut self, stm: &Stm) {
        let Exp::Assert(cond, _) = &stm.exp else { return };
        let parts = self.conjunction(*cond);
        let is_computed = |h: &Self, x: Operand| x.name().is_some_and(|name| !h.defs.contains_key(&name));
        let reason = if parts.iter().any(|part| self.comparison(*part).is_none() && is_computed(self, *part)) {
            "what it checks is computed in each iteration"
        } else {
            "what it checks differs between iterations"
        };
        self.log.decide(DecisionKind::CheckStaysInside, stm.loc, reason);
    }
}

/// The values that a message shows.
fn values(message: &Message) -> impl Iterator<Item = Operand> {
    message.parts.iter().filter_map(|part| match part {
        MessagePart::Value(x) => Some(*x),
        MessagePart::Text(_) => None,
    })
}
