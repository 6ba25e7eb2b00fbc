//! Arrays are made where and when they become parts of others.
//!
//! ```text
//! let x_1: [n_2]f32 = par (i_3 < n_2) own {…}          let a_4: [k_5]f32 = replicate [k_5] 0.0f32
//! let a_4: [k_5]f32 = replicate [k_5] 0.0f32      →    let x_1: [n_2]f32 = par (i_3 < n_2) own {…}
//! let b_6: [k_5]f32 = update a_4[0 :+ n_2] = x_1       let b_6: [k_5]f32 = update a_4[0 :+ n_2] = x_1
//! ```
//!
//! [`mod@crate::place`] makes an array in its destination only if that is known by then. So what is made too early is
//! made later (`make-late`): behind the array that it replaces a part of, and behind whatever computes the sizes,
//! offsets and checks of its slot, other than the scalars that `place` computes early itself. It moves only past
//! statements that neither use it nor consume what it reads, and only if no check is in it: a check is never made
//! later. Where it has to stay, a cheap array that it becomes part of by an `update` is made earlier instead
//! (`make-early`).
//!
//! An array can be in one place only. One that is as cheap to make as to copy (a `replicate` of a scalar, an `iota`, a
//! short literal) and becomes part of several arrays, or of one in an inner body, is made again for each of them
//! (`make-again`). The simplifier has made one of equal ones before, which is right everywhere else. And a `par` that
//! yields an array of scalars which becomes part of several arrays yields it several times (`yield-again`): writing an
//! element twice costs less than reading it once more.
//!
//! The pass assumes the parallel stage. It looks at each body once, and for an array that moves at the statements that
//! consume something in between.

use crate::moves::is_cheap;
use kenaz_base::with_stack;
use kenaz_ir::effects::{self, Fails, Memory};
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, bound_in_exp, for_each_body_mut, free_in_stm, free_in_type, walk};
use kenaz_ir::{Body, DimSlice, Exp, Form, Fresh, Log, Name, Operand, Param, Pass, PassCx, Prog, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub const PASS: Pass = Pass {
    name: "parts",
    about: "makes arrays where and when they become parts of others",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: parts,
};

/// The names of its rules.
pub const RULES: &[&str] = &["make-late", "make-early", "make-again", "yield-again"];

/// The longest literal that is made again: copying longer ones takes less code.
const SHORT: usize = 16;

pub fn parts(prog: &mut Prog, cx: &mut PassCx) {
    let signatures = Signatures::of(prog);
    for fun in &mut prog.funs {
        let mut again = Again { cheap: FxHashMap::default(), fresh: &mut prog.fresh, log: &mut cx.log };
        again.body(&mut fun.body);
        let dead = again.cheap;
        drop_unused(&mut fun.body, &dead);
        let sharing = Sharing::of(fun, &signatures);
        Late { sharing, signatures: &signatures, log: &mut cx.log }.body(&mut fun.body);
    }
}

/// The arrays that a statement makes parts of its result, as far as they are variables.
fn part_names(exp: &mut Exp) -> Vec<&mut Name> {
    match exp {
        Exp::Concat(_, parts) => parts.iter_mut().collect(),
        Exp::Array(elems, ty) if ty.is_array() => elems.iter_mut().filter_map(variable).collect(),
        Exp::Update(_, dims, value) if dims.iter().any(|dim| matches!(dim, DimSlice::Range { .. })) => {
            variable(value).into_iter().collect()
        }
        Exp::FlatUpdate(_, _, _, value) => vec![value],
        _ => Vec::new(),
    }
}

fn variable(operand: &mut Operand) -> Option<&mut Name> {
    match operand {
        Operand::Var(name) => Some(name),
        Operand::Const(_) => None,
    }
}

/// Makes cheap arrays again.
struct Again<'a> {
    /// The cheap arrays in scope.
    cheap: FxHashMap<Name, Stm>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl Again<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut here: FxHashMap<Name, usize> = FxHashMap::default();
            for stm in &body.stms {
                if is_cheap_array(stm) {
                    here.insert(stm.pat[0].name, 0);
                    self.cheap.insert(stm.pat[0].name, stm.clone());
                }
                here.extend(yielded(stm).into_iter().map(|(name, _)| (name, 0)));
            }
            for stm in &mut body.stms {
                for name in part_names(&mut stm.exp) {
                    here.entry(*name).and_modify(|parts| *parts += 1);
                }
            }
            // Where the arrays of this body are made that a `par` yields element by element.
            let mut made: FxHashMap<Name, (usize, Operand)> = FxHashMap::default();
            let mut out: Vec<Stm> = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
                for name in part_names(&mut stm.exp) {
                    // The last part of several is what is made once.
                    if here.get(name).is_some_and(|parts| *parts <= 1) {
                        continue;
                    }
                    let array = *name;
                    if let Some(cheap) = self.cheap.get(name)
                        && self.log.fire("make-again")
                    {
                        let mut again = cheap.clone();
                        again.loc = stm.loc;
                        again.pat[0].name = self.fresh.like(array);
                        *name = again.pat[0].name;
                        out.push(again);
                    } else if let Some((at, value)) = made.get(name)
                        && self.log.fire("yield-again")
                    {
                        *name = yield_again(&mut out[*at], array, *value, self.fresh);
                    }
                    if *name != array {
                        here.entry(array).and_modify(|parts| *parts -= 1);
                    }
                }
                made.extend(yielded(&stm).into_iter().map(|(name, value)| (name, (out.len(), value))));
                out.push(stm);
            }
            body.stms = out;
        });
    }
}

/// The arrays that a `par` makes of one scalar for each of its points, with that scalar.
fn yielded(stm: &Stm) -> Vec<(Name, Operand)> {
    let Exp::Par(par) = &stm.exp else { return Vec::new() };
    let (body, first) = par.yields();
    let (mut values, mut pat) = (body.results.iter().skip(first), stm.pat.iter().skip(par.reduced()));
    let mut yielded = Vec::new();
    for form in &par.forms {
        let (values, results) = (values.by_ref().take(form.operands()), pat.by_ref().take(form.results()));
        let is_scalar = |p: &Param| matches!(&p.ty, Type::Array(dims, _) if dims.len() == par.space.len());
        if let Form::Own = form {
            yielded.extend(results.zip(values).filter(|(p, _)| is_scalar(p)).map(|(p, value)| (p.name, *value)));
        } else {
            values.for_each(drop);
            results.for_each(drop);
        }
    }
    yielded
}

/// Another array of what a `par` yields as one already.
fn yield_again(stm: &mut Stm, array: Name, value: Operand, fresh: &mut Fresh) -> Name {
    let name = fresh.like(array);
    let ty = stm.pat.iter().find(|p| p.name == array).map(|p| p.ty.clone());
    if let (Exp::Par(par), Some(ty)) = (&mut stm.exp, ty) {
        let body = match &mut par.post {
            Some(post) => &mut post.body,
            None => &mut par.body,
        };
        body.results.push(value);
        par.forms.push(Form::Own);
        stm.pat.push(Param::new(name, ty));
    }
    name
}

/// Whether making an array again costs no more than copying it.
fn is_cheap_array(stm: &Stm) -> bool {
    let is_cheap = match (&stm.exp, &stm.pat[..]) {
        (Exp::Iota { .. }, _) => true,
        // A replicated array has more dimensions than the operator gives it.
        (Exp::Replicate(dims, _), [Param { ty: Type::Array(all, _), .. }]) => dims.len() == all.len(),
        (Exp::Array(elems, ty), _) => !ty.is_array() && elems.len() <= SHORT,
        _ => false,
    };
    is_cheap && stm.attrs.is_empty()
}

/// Removes those of these arrays that nobody uses any more.
fn drop_unused(body: &mut Body, made: &FxHashMap<Name, Stm>) {
    struct Used(FxHashSet<Name>);
    impl Visit for Used {
        fn name(&mut self, name: &Name) {
            self.0.insert(*name);
        }
    }
    fn drop_in(body: &mut Body, made: &FxHashMap<Name, Stm>, used: &FxHashSet<Name>) {
        with_stack(|| {
            body.stms.retain(|stm| {
                let mut names = stm.pat.iter().map(|p| p.name);
                !is_cheap_array(stm) || names.all(|name| !made.contains_key(&name) || used.contains(&name))
            });
            body.stms.iter_mut().for_each(|stm| for_each_body_mut(&mut stm.exp, |inner| drop_in(inner, made, used)));
        });
    }
    if made.is_empty() {
        return;
    }
    let mut used = Used(FxHashSet::default());
    used.body(body);
    drop_in(body, made, &used.0);
}

/// Makes arrays later.
struct Late<'a> {
    sharing: Sharing,
    signatures: &'a Signatures,
    log: &'a mut Log,
}

/// What is known of the statements of a body.
struct Scope {
    defs: FxHashMap<Name, usize>,
    /// The statements that use a name; that of the results is their number.
    uses: FxHashMap<Name, Vec<usize>>,
    /// The number of the first statement before which `place` can compute what a statement computes.
    ready: Vec<usize>,
    /// The statements that consume something, and what.
    consumers: Vec<(usize, Vec<Name>)>,
}

impl Late<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for stm in &mut body.stms {
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
            }
            let is_whole = |stm: &mut Stm| !part_names(&mut stm.exp).is_empty();
            if !body.stms.iter_mut().any(is_whole) {
                return;
            }
            let scope = self.scope(body);
            // Which statements move in front of which other one, and which stay because one moves behind them.
            let mut moved: FxHashMap<usize, usize> = FxHashMap::default();
            let mut anchors: FxHashSet<usize> = FxHashSet::default();
            // Before which statement it is known where an array goes that becomes part of another.
            let mut known: FxHashMap<Name, usize> = FxHashMap::default();
            for at in (0..body.stms.len()).rev() {
                let parts: Vec<Name> = part_names(&mut body.stms[at].exp).into_iter().map(|name| *name).collect();
                if parts.is_empty() {
                    continue;
                }
                let whole = known.get(&body.stms[at].pat[0].name).copied().unwrap_or(0);
                let need = scope.need(body, at, &parts).max(whole);
                for part in parts {
                    known.entry(part).or_insert(need);
                    let is_tied = |i: &usize| anchors.contains(i) || moved.contains_key(i);
                    if let Some(group) = self.group(body, &scope, part, need, &moved) {
                        if !group.iter().any(is_tied) && !moved.contains_key(&(need - 1)) && self.log.fire("make-late")
                        {
                            anchors.insert(need - 1);
                            moved.extend(group.into_iter().map(|i| (i, need)));
                        }
                    } else if let Some((before, group)) = scope.early(body, part, at) {
                        let operands = scope.operands(body, &group);
                        if !group.iter().any(is_tied)
                            && !operands.iter().any(|i| moved.contains_key(i))
                            && self.log.fire("make-early")
                        {
                            anchors.extend(operands);
                            moved.extend(group.into_iter().map(|i| (i, before)));
                        }
                    }
                }
            }
            if !moved.is_empty() {
                reorder(body, &moved);
            }
        });
    }

    /// The statements that make a part, its views included, if they can all stand in front of another one and do not
    /// yet.
    fn group(
        &self,
        body: &Body,
        scope: &Scope,
        part: Name,
        need: usize,
        moved: &FxHashMap<usize, usize>,
    ) -> Option<BTreeSet<usize>> {
        let mut group = BTreeSet::new();
        let mut name = part;
        loop {
            let i = *scope.defs.get(&name)?;
            // A view that comes later stays.
            if i < need {
                group.insert(i);
            }
            match effects::viewed(&body.stms[i].exp) {
                Some(array) => name = array,
                None => break,
            }
        }
        let first = *group.first()?;
        if first + 1 >= need || !is_made(&body.stms[first], name) {
            return None;
        }
        for i in &group {
            let stm = &body.stms[*i];
            if !can_wait(stm) {
                return None;
            }
            let mut uses = stm.pat.iter().flat_map(|p| scope.uses.get(&p.name).into_iter().flatten());
            // What the part becomes part of may move there as well.
            if uses.any(|at| *at < need && !group.contains(at) && moved.get(at) != Some(&need)) {
                return None;
            }
        }
        let read: FxHashSet<Name> =
            group.iter().flat_map(|i| free_in_stm(&body.stms[*i])).map(|name| self.sharing.class(name)).collect();
        let start = scope.consumers.partition_point(|(i, _)| *i < first);
        let mut between = scope.consumers[start..].iter().take_while(|(i, _)| *i < need);
        let is_read = |name: &Name| read.contains(&self.sharing.class(*name));
        (!between.any(|(i, names)| !group.contains(i) && names.iter().any(is_read))).then_some(group)
    }

    fn scope(&self, body: &Body) -> Scope {
        let mut scope = Scope {
            defs: FxHashMap::default(),
            uses: FxHashMap::default(),
            ready: Vec::with_capacity(body.stms.len()),
            consumers: Vec::new(),
        };
        for (i, stm) in body.stms.iter().enumerate() {
            let names = free_in_stm(stm);
            let ready = if is_cheap(stm) { scope.ready(names.iter().copied()) } else { i + 1 };
            scope.ready.push(ready);
            for name in names {
                scope.uses.entry(name).or_default().push(i);
            }
            scope.defs.extend(stm.pat.iter().map(|p| (p.name, i)));
            let consumed = self.consumed(stm);
            if !consumed.is_empty() {
                scope.consumers.push((i, consumed));
            }
        }
        for name in body.results.iter().filter_map(|x| x.name()) {
            scope.uses.entry(name).or_default().push(body.stms.len());
        }
        scope
    }

    /// What a statement and the bodies in it consume.
    fn consumed(&self, stm: &Stm) -> Vec<Name> {
        struct Consumed<'a>(Vec<Name>, &'a Signatures);
        impl Visit for Consumed<'_> {
            fn stm(&mut self, stm: &Stm) {
                self.0.extend(effects::consumed(&stm.exp, |f, i| self.1.takes(f, i)));
                walk::stm(self, stm);
            }
        }
        let mut consumed = Consumed(Vec::new(), self.signatures);
        consumed.stm(stm);
        consumed.0
    }
}

impl Scope {
    /// The number of the first statement before which all of these can be known.
    fn ready(&self, names: impl IntoIterator<Item = Name>) -> usize {
        let ready = |name| self.defs.get(&name).map_or(0, |i| self.ready[*i]);
        names.into_iter().map(ready).max().unwrap_or(0)
    }

    /// The number of the first statement before which it can be known where the parts of a statement's result lie.
    fn need(&self, body: &Body, at: usize, parts: &[Name]) -> usize {
        let stm = &body.stms[at];
        let mut names: BTreeSet<Name> = stm.certs.iter().copied().collect();
        stm.pat.iter().for_each(|p| names.extend(free_in_type(&p.ty)));
        let dims = |x: &DimSlice| match x {
            DimSlice::Fix(i) => vec![*i],
            DimSlice::Range { start, len, stride } => vec![*start, *len, *stride],
        };
        let updated = match &stm.exp {
            Exp::Update(a, slices, _) => {
                names.extend(slices.iter().flat_map(dims).filter_map(Operand::name));
                Some(*a)
            }
            Exp::FlatUpdate(a, offset, strides, _) => {
                names.extend(strides.iter().chain([offset]).filter_map(|x| x.name()));
                Some(*a)
            }
            _ => None,
        };
        for part in parts {
            if let Some(i) = self.defs.get(part) {
                let ty = body.stms[*i].pat.iter().find(|p| p.name == *part).map(|p| &p.ty);
                ty.into_iter().for_each(|ty| names.extend(free_in_type(ty)));
            }
        }
        let first = updated.and_then(|array| self.first_version(body, array)).map_or(0, |i| i + 1);
        self.ready(names).max(first)
    }

    /// For a part that replaces a slice of a cheap array which is made later: the statement that makes the part, and
    /// those to put in front of it, which make the array and the scalars for it.
    fn early(&self, body: &Body, part: Name, at: usize) -> Option<(usize, BTreeSet<usize>)> {
        let (Exp::Update(array, ..) | Exp::FlatUpdate(array, ..)) = &body.stms[at].exp else { return None };
        let array = self.first_version(body, *array)?;
        let mut part = *self.defs.get(&part)?;
        while let Some(viewed) = effects::viewed(&body.stms[part].exp) {
            part = *self.defs.get(&viewed)?;
        }
        if part >= array || !is_cheap_array(&body.stms[array]) {
            return None;
        }
        let mut group = BTreeSet::from([array]);
        let mut work = vec![array];
        while let Some(i) = work.pop() {
            for k in self.operands(body, &BTreeSet::from([i])) {
                if k >= part && group.insert(k) {
                    if k == part || !is_cheap(&body.stms[k]) {
                        return None;
                    }
                    work.push(k);
                }
            }
        }
        Some((part, group))
    }

    /// The statements of the body on which some others depend.
    fn operands(&self, body: &Body, group: &BTreeSet<usize>) -> BTreeSet<usize> {
        let names = group.iter().flat_map(|i| free_in_stm(&body.stms[*i]));
        names.filter_map(|name| self.defs.get(&name).copied()).filter(|i| !group.contains(i)).collect()
    }

    /// The statement that makes the array of which another one is a later version.
    fn first_version(&self, body: &Body, mut array: Name) -> Option<usize> {
        loop {
            let i = *self.defs.get(&array)?;
            match &body.stms[i].exp {
                Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) => array = *a,
                _ => return Some(i),
            }
        }
    }
}

/// Whether a statement makes the array itself, or all branches of it may.
fn is_made(stm: &Stm, name: Name) -> bool {
    let Some(at) = stm.pat.iter().position(|p| p.name == name && p.ty.is_array()) else { return false };
    match effects::memory(&stm.exp) {
        Memory::New | Memory::Branches(_) => true,
        Memory::Over(over) => over[at].is_none(),
        Memory::Of(..) | Memory::Loop(..) | Memory::Call(..) | Memory::Acc(..) | Memory::Any(..) => false,
    }
}

/// Whether nobody can tell that a statement is evaluated later, if what it reads is still there.
fn can_wait(stm: &Stm) -> bool {
    let is_told = |stm: &Stm| {
        let effects = effects::of(stm);
        effects.prints || effects.opaque || effects.frees || effects.fails == Fails::Stops
    };
    let bound: FxHashSet<Name> = bound_in_exp(&stm.exp).into_iter().collect();
    let consumes = |stm: &Stm| effects::consumed(&stm.exp, |_, _| true).iter().any(|name| !bound.contains(name));
    effects::of(stm).may_move() && !is_told(stm) && !effects::any_inside(&stm.exp, |stm| is_told(stm) || consumes(stm))
}

/// Puts statements in front of others, in the order in which they were.
fn reorder(body: &mut Body, moved: &FxHashMap<usize, usize>) {
    let mut before: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    moved.iter().for_each(|(i, at)| {
        before.entry(*at).or_default().insert(*i);
    });
    let mut stms: Vec<Option<Stm>> = std::mem::take(&mut body.stms).into_iter().map(Some).collect();
    for at in 0..=stms.len() {
        for i in before.remove(&at).into_iter().flatten() {
            body.stms.extend(stms[i].take());
        }
        if at < stms.len() && !moved.contains_key(&at) {
            body.stms.extend(stms[at].take());
        }
    }
}
