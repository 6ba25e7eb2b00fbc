//! The walk backwards: what each array will become part of.
//!
//! An array `x` gets a destination in `y` only if
//!
//! - it is bound in the same body as what makes it part of `y`, so that it is made once for each `y`;
//! - it is not used after that, or neither it nor `y`, nor what `y` is part of, is ever changed in place, and they do
//!   not become different results of the function, of which one is unique;
//! - for `y = update a[s] = x`: from the making of `x` to the update nothing touches that slice of `a`, see [`Watch`].
//!   (Where `a` is still to be made, the walk forwards finds no place for `x`.)

use super::step::{Step, after};
use super::watch::{Cx, Relative, Watch, enter_loop};
use super::{often, wishes};
use kenaz_base::with_stack;
use kenaz_ir::effects::{self, Fails, How, Memory};
use kenaz_ir::facts::Facts;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, free_in_stm, walk};
use kenaz_ir::{Body, DimSlice, Exp, Form, Fun, Name, Operand, Par, Poly, Stm, Target, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Where an array should be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Dest {
    /// Row-major in a block of its own, also if it is a view.
    Own,
    Into(Into),
}

/// A part of a larger array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Into {
    pub whole: Name,
    pub step: Step,
    /// The checks that the slot exists.
    pub certs: Vec<Name>,
    /// Whether something between the making of the array and the place where it becomes a part may fail, so that the
    /// slot need not exist.
    pub needs_proof: bool,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub dests: FxHashMap<Name, Dest>,
    /// The parameters of loops whose next value is made from them in place.
    pub in_place: FxHashSet<Name>,
    /// The parameters of loops whose next value is a view of an array that is not made for it.
    pub view_loops: FxHashMap<Name, ViewOf>,
    /// The array that a name is the next version of, at the same place.
    pub versions: FxHashMap<Name, Name>,
    /// The results of branches that all make them.
    pub fresh: FxHashSet<Name>,
    /// The copies that are changed later, so that they are not just other names of their arrays.
    pub changed: FxHashSet<Name>,
    /// Why an array that is needed elsewhere has no destination.
    reasons: FxHashMap<Name, &'static str>,
}

impl Plan {
    /// Some arrays have no destination because of what could not be proved of it.
    pub(super) fn of(fun: &Fun, signatures: &Signatures, unproved: &BTreeSet<Name>, target: &Target) -> Plan {
        let mut sharing = Sharing::of(fun, signatures);
        let mut ties = Ties::default();
        ties.fun(fun);
        for (result, updated) in &ties.pred {
            sharing.join(*updated, *result);
        }
        if fun.results.iter().any(|result| result.unique) {
            fun.body.results.iter().filter_map(|x| x.name()).for_each(|name| sharing.own(name));
        }
        let mut relative = Relative::default();
        relative.fun(fun);
        let plan =
            Plan { in_place: ties.in_place, view_loops: ties.view_loops, versions: ties.pred, ..Plan::default() };
        let materialised = wishes::materialised(fun);
        let often = often::used_often(fun, target);
        let apart = unproved.iter().chain(&materialised).chain(&often).copied().collect();
        let mut planner = Planner { plan, sharing, relative, facts: Facts::new(), apart };
        planner.facts.enter_fun(fun);
        for result in fun.body.results.iter().filter_map(|x| x.name()) {
            planner.plan.dests.insert(result, Dest::Own);
        }
        planner.body(&fun.body);
        for name in &planner.apart {
            if let Some(Dest::Into(_)) = planner.plan.dests.get(name) {
                let reason = match unproved.contains(name) {
                    true => UNPROVED,
                    false if often.contains(name) => "a thread works on it in memory of its own",
                    false => "it is to be materialised",
                };
                planner.plan.dests.remove(name);
                planner.plan.reasons.insert(*name, reason);
            }
        }
        planner.plan
    }

    /// Why an array has no destination, if it could have had one.
    pub(super) fn refusal(&self, name: Name) -> Option<&'static str> {
        self.reasons.get(&name).copied()
    }

    pub(super) fn reason(&self, name: Name) -> &'static str {
        self.reasons.get(&name).copied().unwrap_or("it exists already, or could not be made where it is needed")
    }
}

pub(super) struct Planner {
    pub plan: Plan,
    /// Here what is updated shares memory with the result.
    sharing: Sharing,
    pub relative: Relative,
    pub facts: Facts,
    /// The arrays that are to have a block of their own.
    pub apart: BTreeSet<Name>,
}

const UNPROVED: &str = "it cannot be proved that nothing else would be overwritten";

/// Where an array becomes part of another.
#[derive(Clone, Copy)]
struct At<'a> {
    /// The number of the statement.
    stm: usize,
    certs: &'a [Name],
}

/// What is known of the body that is walked through.
#[derive(Default)]
struct Scope {
    /// Where the names of the body are bound.
    defs: FxHashMap<Name, usize>,
    /// The last statement that uses a name or a view of it; that of the results is their number.
    last: FxHashMap<Name, usize>,
    /// For each statement that uses a name the last one that uses what it makes of it.
    uses: FxHashMap<Name, Vec<(usize, usize)>>,
    /// The arrays of statements that make several.
    together: FxHashMap<usize, Vec<Name>>,
}

impl Planner {
    /// Some of the body's results have destinations already.
    fn body(&mut self, body: &Body) {
        with_stack(|| {
            let mark = self.facts.mark();
            body.stms.iter().for_each(|stm| self.facts.stm(stm));
            let scope = Scope::of(body);
            let mut watches: Vec<Watch> = Vec::new();
            for (i, stm) in body.stms.iter().enumerate().rev() {
                // First what the statement makes parts of, since those are to be watched before it, too.
                let older = watches.len();
                self.stm(stm, i, &scope, &mut watches);
                let mut at = 0;
                watches.retain_mut(|watch| {
                    at += 1;
                    at > older || self.watch(watch, stm)
                });
            }
            self.facts.reset(mark);
        });
    }

    fn stm(&mut self, stm: &Stm, at: usize, scope: &Scope, watches: &mut Vec<Watch>) {
        let at = At { stm: at, certs: &stm.certs };
        let name = stm.pat.first().map(|p| p.name);
        let has_dest = |p: &Planner, name: Name| p.plan.dests.contains_key(&name);
        match &stm.exp {
            Exp::Concat(_, parts) => {
                let Some(whole) = name else { return };
                let mut start = Some(Poly::default());
                for part in parts {
                    let (Some(len), Some(first)) = (self.relative.outer(*part), start) else { return };
                    start = after(&first, len);
                    self.part(*part, whole, Step::Rows { start: first, len }, at, scope, watches);
                }
            }
            Exp::Array(elems, ty) if ty.is_array() => {
                let Some(whole) = name else { return };
                for (i, elem) in elems.iter().enumerate() {
                    if let Operand::Var(elem) = elem {
                        self.part(*elem, whole, Step::At(vec![Operand::i64(i as i64)]), at, scope, watches);
                    }
                }
            }
            Exp::Copy(a) => {
                if let Some(whole) = name {
                    if !self.sharing.is_fixed(whole) {
                        self.plan.changed.insert(whole);
                    }
                    self.part(*a, whole, Step::Same, at, scope, watches);
                }
            }
            Exp::Update(a, dims, Operand::Var(v)) if self.relative.is_array(*v) => {
                self.whole(*a, name, at, scope, watches);
                self.update(*v, *a, Step::Slice(dims.clone()), at, scope, watches);
            }
            Exp::FlatUpdate(a, offset, strides, v) => {
                self.whole(*a, name, at, scope, watches);
                let Some(dims) = self.relative.dims(*v) else { return };
                let dims = dims.into_iter().zip(strides.iter().copied()).collect();
                self.update(*v, *a, Step::Flat(*offset, dims), at, scope, watches);
            }
            Exp::Update(a, ..) => self.whole(*a, name, at, scope, watches),
            Exp::Operand(_)
            | Exp::Opaque(_)
            | Exp::Trace(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Resize(..)
            | Exp::Slice(..) => {
                let (Some(view), Some(array)) = (name, effects::viewed(&stm.exp)) else { return };
                if !has_dest(self, view) || !stm.pat[0].ty.is_array() {
                    return;
                }
                let Some(dims) = self.relative.dims(array) else { return };
                let step = match &stm.exp {
                    Exp::Rearrange(perm, _) => Step::Unpermute(perm.clone()),
                    Exp::Reshape(..) => Step::Reshape(dims),
                    Exp::Resize(..) => Step::Resize(dims),
                    // Reversing twice is nothing.
                    Exp::Slice(_, slices) if self.is_reversal(slices, &dims) => Step::Slice(slices.clone()),
                    Exp::Slice(..) => return,
                    _ => Step::Same,
                };
                self.part(array, view, step, at, scope, watches);
            }
            Exp::If(cond, yes, no) => {
                let bodies = [(yes, Some((*cond, true))), (no, Some((*cond, false)))];
                self.branches(stm, bodies.into_iter());
            }
            Exp::Match(_, cases, default) => {
                let bodies = cases.iter().map(|(_, body)| body).chain([default]);
                self.branches(stm, bodies.map(|body| (body, None)));
            }
            Exp::Loop { params, form, body } => {
                for (result, (param, init)) in stm.pat.iter().zip(params) {
                    if self.plan.in_place.contains(&param.name)
                        && let Operand::Var(init) = init
                    {
                        self.whole(*init, Some(result.name), at, scope, watches);
                    }
                }
                let mark = self.facts.mark();
                enter_loop(&mut self.facts, params, form);
                self.body(body);
                self.facts.reset(mark);
            }
            Exp::Par(par) => self.par(stm, par, at, scope, watches),
            _ => {}
        }
    }

    /// What is updated goes where the result goes.
    fn whole(&mut self, array: Name, result: Option<Name>, at: At<'_>, scope: &Scope, watches: &mut [Watch]) {
        if let Some(result) = result
            && self.plan.dests.contains_key(&result)
        {
            self.part(array, result, Step::Same, at, scope, watches);
        }
    }

    /// An array becomes part of another in the statement at `at`.
    fn part(&mut self, x: Name, whole: Name, step: Step, at: At<'_>, scope: &Scope, watches: &mut [Watch]) {
        if self.plan.dests.get(&x).is_some_and(|dest| *dest != Dest::Own) {
            return;
        }
        if !scope.defs.contains_key(&x) {
            self.plan.reasons.insert(x, "it was made elsewhere");
            return;
        }
        if (scope.is_used_after(x, at.stm) || self.is_shared_after(x, at, scope))
            && let Err(reason) = self.may_share(x, whole)
        {
            self.plan.reasons.insert(x, reason);
            return;
        }
        // The same array twice in one whole, or a result of the function that is also part of another.
        if self.plan.dests.contains_key(&x) {
            return;
        }
        // That the whole exists needs no check.
        let certs = if step == Step::Same { Vec::new() } else { at.certs.to_vec() };
        self.plan.dests.insert(x, Dest::Into(Into { whole, step, certs, needs_proof: false }));
        for watch in watches.iter_mut().filter(|watch| watch.made.contains(&whole)) {
            watch.made.insert(x);
        }
    }

    /// Whether something that was made together with an array, and may be the same one, is used behind a statement: one
    /// branch may yield an array twice.
    fn is_shared_after(&self, x: Name, at: At<'_>, scope: &Scope) -> bool {
        let together = scope.defs.get(&x).and_then(|stm| scope.together.get(stm)).into_iter().flatten();
        let mut others = together.filter(|y| **y != x && self.sharing.may_share(x, **y));
        others.any(|y| scope.is_used_after(*y, at.stm))
    }

    /// Whether an array can be part of another, and of what that is part of, while all of them are used.
    fn may_share(&self, x: Name, mut whole: Name) -> Result<(), &'static str> {
        let is_owned = self.sharing.is_owned(x);
        loop {
            if !self.sharing.is_fixed(x) || !self.sharing.is_fixed(whole) {
                return Err("it is used later, and one of the two is changed");
            }
            if is_owned && self.sharing.is_owned(whole) {
                return Err("both become results of the function");
            }
            match self.plan.dests.get(&whole) {
                Some(Dest::Into(into)) => whole = into.whole,
                Some(Dest::Own) | None => return Ok(()),
            }
        }
    }

    /// The value of an update goes into the slice that it replaces.
    fn update(&mut self, v: Name, array: Name, step: Step, at: At<'_>, scope: &Scope, watches: &mut Vec<Watch>) {
        if self.plan.dests.contains_key(&v) || !scope.defs.contains_key(&v) {
            return;
        }
        if scope.last.get(&v).is_some_and(|last| *last > at.stm) {
            self.plan.reasons.insert(v, "it is used after the update");
            return;
        }
        if self.is_shared_after(v, at, scope) {
            self.plan.reasons.insert(v, "what may be the same array is used after the update");
            return;
        }
        let Some(watch) = Watch::new(v, array, &step, &self.relative, &self.facts, self.sharing.class(array)) else {
            self.plan.reasons.insert(v, "the slice is no layout");
            return;
        };
        self.plan
            .dests
            .insert(v, Dest::Into(Into { whole: array, step, certs: at.certs.to_vec(), needs_proof: false }));
        watches.push(watch);
    }

    /// Whether a value that goes into a slice is still to be made before this statement.
    fn watch(&mut self, watch: &mut Watch, stm: &Stm) -> bool {
        if let Err(reason) = watch.look(
            stm,
            &mut Cx {
                relative: &self.relative,
                dests: &self.plan.dests,
                sharing: &self.sharing,
                facts: &mut self.facts,
            },
        ) {
            self.plan.dests.remove(&watch.value);
            self.plan.reasons.insert(watch.value, reason);
            return false;
        }
        if let Some(Dest::Into(into)) = self.plan.dests.get_mut(&watch.value) {
            // Before an update of another slice the array has another name.
            into.whole = watch.array;
            into.needs_proof |= !watch.made.is_empty() && may_fail(stm);
        }
        !watch.made.is_empty()
    }

    /// A branch, of whose results some have destinations.
    pub(super) fn branch(&mut self, body: &Body, cond: Option<(Operand, bool)>) {
        let mark = self.facts.mark();
        if let Some((cond, holds)) = cond {
            self.facts.assume(cond, holds);
        }
        self.body(body);
        self.facts.reset(mark);
    }

    fn par(&mut self, stm: &Stm, par: &Par, at: At<'_>, scope: &Scope, watches: &mut [Watch]) {
        let mut pat = stm.pat.iter().skip(par.reduced());
        let index: Vec<Operand> = par.space.iter().map(|(i, _)| (*i).into()).collect();
        let (body, first) = par.yields();
        let mut yielded = body.results.iter().skip(first);
        for form in &par.forms {
            let values: Vec<Operand> = yielded.by_ref().take(form.operands()).copied().collect();
            let results: Vec<Name> = pat.by_ref().take(form.results()).map(|p| p.name).collect();
            match form {
                Form::Own => {
                    if let ([Operand::Var(x)], [result]) = (&values[..], &results[..])
                        && self.relative.is_array(*x)
                    {
                        self.row(*x, *result, Step::At(index.clone()), body);
                    }
                }
                Form::Tile(_) => {}
                Form::Write { dest, .. } => self.whole(*dest, results.first().copied(), at, scope, watches),
                Form::Acc { dests, .. } => {
                    for (dest, result) in dests.iter().zip(&results) {
                        self.whole(*dest, Some(*result), at, scope, watches);
                    }
                }
            }
        }
        let mark = self.facts.mark();
        self.facts.enter_space(&par.space);
        if let Some(post) = &par.post {
            self.body(&post.body);
        }
        self.body(&par.body);
        self.facts.reset(mark);
        for op in &par.ops {
            self.body(&op.lambda.body);
        }
        for form in &par.forms {
            if let Form::Acc { op, .. } = form {
                self.body(&op.body);
            }
        }
    }

    /// Whether a slice takes each dimension whole, some of them backwards.
    fn is_reversal(&self, slices: &[DimSlice], dims: &[Operand]) -> bool {
        slices.len() == dims.len()
            && slices.iter().zip(dims).all(|(slice, dim)| match slice {
                DimSlice::Fix(_) => false,
                DimSlice::Range { start, len, stride } => {
                    let forwards = *stride == Operand::i64(1) && *start == Operand::i64(0);
                    let backwards = *stride == Operand::i64(-1) && self.relative.is_last(*start, *dim, &self.facts);
                    len == dim && (forwards || backwards)
                }
            })
    }

    /// A result of a body is what the statement around it yields.
    pub(super) fn result(&mut self, x: Name, whole: Name, body: &Body) {
        self.row(x, whole, Step::Same, body);
    }

    /// A result of a body goes into what the statement around it makes.
    fn row(&mut self, x: Name, whole: Name, step: Step, body: &Body) {
        let is_own = body.stms.iter().any(|stm| stm.pat.iter().any(|p| p.name == x));
        if !is_own {
            self.plan.reasons.insert(x, "it was made elsewhere");
        } else {
            let into = Into { whole, step, certs: Vec::new(), needs_proof: false };
            self.plan.dests.entry(x).or_insert(Dest::Into(into));
        }
    }
}

impl Scope {
    fn of(body: &Body) -> Scope {
        let mut scope = Scope::default();
        for x in body.results.iter().filter_map(|x| x.name()) {
            scope.last.insert(x, body.stms.len());
            scope.uses.entry(x).or_default().push((body.stms.len(), body.stms.len()));
        }
        for (i, stm) in body.stms.iter().enumerate().rev() {
            scope.defs.extend(stm.pat.iter().map(|p| (p.name, i)));
            let results = stm.pat.iter().filter(|p| p.ty.is_array());
            if results.clone().count() > 1 {
                scope.together.insert(i, results.clone().map(|p| p.name).collect());
            }
            let after = results.filter_map(|p| scope.last.get(&p.name).copied()).fold(i, usize::max);
            for name in free_in_stm(stm) {
                let last = if carries(&stm.exp, name) { after } else { i };
                let known = scope.last.entry(name).or_insert(0);
                *known = last.max(*known);
                scope.uses.entry(name).or_default().push((i, last));
            }
        }
        scope
    }

    /// Whether a name is used behind a statement otherwise than as what that statement makes of it.
    fn is_used_after(&self, name: Name, stm: usize) -> bool {
        let mut uses = self.uses.get(&name).into_iter().flatten();
        uses.any(|(at, last)| *at != stm && *last > stm)
    }
}

/// Whether a statement may run for ever.
pub(super) fn may_hang(stm: &Stm) -> bool {
    let hangs = |stm: &Stm| !effects::of(stm).ends;
    hangs(stm) || effects::any_inside(&stm.exp, hangs)
}

/// Whether control may not get past a statement.
pub(super) fn may_fail(stm: &Stm) -> bool {
    let fails = |stm: &Stm| {
        let effects = effects::of(stm);
        effects.fails == Fails::Stops || !effects.ends
    };
    fails(stm) || effects::any_inside(&stm.exp, fails)
}

/// Whether a result of an expression may be, or lie in, an array that it uses.
fn carries(exp: &Exp, array: Name) -> bool {
    match effects::memory(exp) {
        Memory::New => false,
        Memory::Of(x, _) => x.name() == Some(array),
        Memory::Over(over) => over.contains(&Some(array)),
        Memory::Branches(_) | Memory::Loop(..) | Memory::Call(..) | Memory::Acc(..) | Memory::Any(..) => true,
    }
}

/// What a view is of another array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewOf {
    /// Some of its rows, one after the other.
    Rows,
    /// Any elements of it.
    Elements,
}

/// What of an array that is not made in the body another is a view of, if it is neither all of it nor made.
fn view_of(body: &Body, mut name: Name) -> Option<ViewOf> {
    let mut view = None;
    for stm in body.stms.iter().rev() {
        if !stm.pat.iter().any(|p| p.name == name) {
            continue;
        }
        name = effects::viewed(&stm.exp)?;
        match stm.exp {
            Exp::Slice(..) | Exp::Rearrange(..) | Exp::FlatIndex(..) => view = Some(ViewOf::Elements),
            Exp::Index(..) => view = view.or(Some(ViewOf::Rows)),
            _ => {}
        }
    }
    view
}

/// Whether a statement makes the array itself, in whatever place it is told.
pub(super) fn is_made(stm: &Stm, name: Name) -> bool {
    let Some(at) = stm.pat.iter().position(|p| p.name == name && p.ty.is_array()) else { return false };
    match effects::memory(&stm.exp) {
        Memory::New => true,
        Memory::Over(over) => over[at].is_none(),
        // Branches return a block of their own choice when there is no destination.
        Memory::Branches(_) => false,
        Memory::Of(..) | Memory::Loop(..) | Memory::Call(..) | Memory::Acc(..) | Memory::Any(..) => false,
    }
}

/// What is updated in place, and which loops do so.
#[derive(Default)]
struct Ties {
    /// The array that a name is the next version of, at the same place.
    pred: FxHashMap<Name, Name>,
    in_place: FxHashSet<Name>,
    view_loops: FxHashMap<Name, ViewOf>,
}

impl Ties {
    /// The first version of an array.
    fn origin(&self, mut name: Name) -> Name {
        while let Some(pred) = self.pred.get(&name) {
            name = *pred;
        }
        name
    }

    fn branches(&mut self, stm: &Stm, bodies: &[&Body]) {
        for (i, param) in stm.pat.iter().enumerate().filter(|(_, p)| matches!(p.ty, Type::Array(..))) {
            let mut origins = bodies.iter().map(|body| body.results[i].name().map(|x| self.origin(x)));
            let Some(Some(first)) = origins.next() else { continue };
            if origins.all(|origin| origin == Some(first)) && first != param.name {
                self.pred.insert(param.name, first);
            }
        }
    }
}

impl Visit for Ties {
    fn stm(&mut self, stm: &Stm) {
        walk::stm(self, stm);
        match effects::memory(&stm.exp) {
            Memory::Of(Operand::Var(a), How::Same) if stm.pat[0].ty.is_array() => {
                self.pred.insert(stm.pat[0].name, a);
            }
            Memory::Over(over) => {
                let over = stm.pat.iter().zip(over).filter_map(|(param, a)| Some((param.name, a?)));
                self.pred.extend(over);
            }
            Memory::Branches(bodies) => self.branches(stm, &bodies),
            Memory::Loop(params, body) => {
                for (i, (param, init)) in params.iter().enumerate().filter(|(_, (p, _))| p.ty.is_array()) {
                    if let (Some(next), Operand::Var(init)) = (body.results[i].name(), init)
                        && self.origin(next) == param.name
                    {
                        self.in_place.insert(param.name);
                        self.pred.insert(stm.pat[i].name, *init);
                        self.pred.insert(param.name, *init);
                    } else if let Some(view) = body.results[i].name().and_then(|next| view_of(body, next)) {
                        self.view_loops.insert(param.name, view);
                    }
                }
            }
            Memory::New | Memory::Of(..) | Memory::Call(..) | Memory::Acc(..) | Memory::Any(..) => {}
        }
    }
}
