//! Inlining of functions: those that are small, called once, or marked `#[inline]`; all others stay functions, so that
//! code does not multiply.
//!
//! ```text
//! fun f (n_1: i64) : (i64) = { let m_2: i64 = add n_1 1 in m_2 }
//! … let k_9: i64 = <c_8> call f (4)                let m_10: i64 = <c_8> add 4 1
//!   let a_11: [k_9]i64 = iota k_9 : i64       →    let a_11: [m_10]i64 = iota m_10 : i64
//! ```
//!
//! A function calls only those before it, so one walk in the order of the program meets finished functions only. The
//! names of a call's pattern are replaced by the function's results in all that follows, since sizes are compared as
//! they are written; one substitution serves a whole function. Positions say through which calls code came to be where
//! it is. Certificates and attributes of the call are handed on to the statements at the top of what is inlined, those
//! about what runs in sequence only to the ones that have bodies.
//!
//! How large a function may be depends on where it is called: in the body of a loop or operator a call keeps other
//! passes from fusing, from moving checks out and from leaving out results that nobody wants, so functions are inlined
//! there if the program does not grow beyond [`GROWTH`]. In the end functions that nobody calls are dropped.
//!
//! Linear in the size of the program and of what is inlined.

use kenaz_base::{Symbol, with_stack};
use kenaz_ir::visit::{self, Subst, Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{
    Attr, Attrs, Body, DecisionKind, Exp, Fresh, Fun, Lambda, Loc, LocId, Locs, Log, Name, Operand, Pass, PassCx, Prog,
    Stm,
};
use rustc_hash::FxHashMap;

pub const PASS: Pass = Pass {
    name: "inline",
    about: "puts functions into their callers that are small, called once or marked so",
    stage: None,
    run: inline,
};

pub const RULES: &[&str] = &["drop-function", "inline-attribute", "inline-once", "inline-small", "inline-nested"];

/// Functions of at most this many statements, nested ones included, are inlined everywhere.
const SMALL: usize = 24;

/// Functions of at most this many statements are inlined in loops and operators.
const MEDIUM: usize = 400;

/// Functions of at most this many statements are inlined even if the program has grown: they are hardly more than a
/// call.
const TINY: usize = 4;

/// The growth of a program by inlining is limited to this multiple of its size …
const GROWTH: usize = 2;

/// … and this many statements.
const GROWTH_MORE: usize = 1000;

pub fn inline(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    drop_unused(prog, log);
    let mut facts: Vec<About> = prog.funs.iter().map(About::of).collect();
    let mut calls: FxHashMap<Symbol, usize> = FxHashMap::default();
    for about in &facts {
        for (f, n) in &about.calls {
            *calls.entry(*f).or_default() += n;
        }
    }
    let size: usize = facts.iter().map(|about| about.size).sum();
    let mut room = GROWTH * size + GROWTH_MORE;
    let mut index: FxHashMap<Symbol, usize> = FxHashMap::default();
    for i in 0..prog.funs.len() {
        let (before, rest) = prog.funs.split_at_mut(i);
        let mut walk = Inliner {
            funs: before,
            about: &facts,
            index: &index,
            calls: &mut calls,
            room: &mut room,
            subst: Subst::new(),
            depth: 0,
            locs: &mut prog.locs,
            fresh: &mut prog.fresh,
            log,
        };
        walk.body(&mut rest[0].body);
        facts[i] = About::of(&rest[0]);
        index.insert(rest[0].name, i);
    }
    drop_unused(prog, log);
}

/// The properties of a function that matter to its callers.
#[derive(Default)]
struct About {
    /// How many statements, nested ones included.
    size: usize,
    /// How often it calls which function.
    calls: FxHashMap<Symbol, usize>,
}

impl About {
    fn of(fun: &Fun) -> About {
        let mut about = About::default();
        about.fun(fun);
        about
    }
}

impl Visit for About {
    fn stm(&mut self, stm: &Stm) {
        self.size += 1;
        if let Exp::Call(f, _) = &stm.exp {
            *self.calls.entry(*f).or_default() += 1;
        }
        walk::stm(self, stm);
    }
}

/// Drops functions that are neither entry points nor called. In a program without entry points, those that are not
/// called are what it is about.
fn drop_unused(prog: &mut Prog, log: &mut Log) {
    if prog.funs.iter().all(|fun| fun.entry.is_none()) {
        return;
    }
    let mut used: rustc_hash::FxHashSet<Symbol> = rustc_hash::FxHashSet::default();
    let mut kept = Vec::with_capacity(prog.funs.len());
    for fun in std::mem::take(&mut prog.funs).into_iter().rev() {
        if fun.entry.is_none() && !used.contains(&fun.name) && log.fire("drop-function") {
            continue;
        }
        used.extend(About::of(&fun).calls.into_keys());
        kept.push(fun);
    }
    kept.reverse();
    prog.funs = kept;
}

struct Inliner<'a> {
    /// The functions before this one, which are finished.
    funs: &'a [Fun],
    about: &'a [About],
    index: &'a FxHashMap<Symbol, usize>,
    /// How often each function is called in the whole program.
    calls: &'a mut FxHashMap<Symbol, usize>,
    /// How many statements may still be added.
    room: &'a mut usize,
    /// What stands for the results of calls that are gone.
    subst: Subst,
    /// How many loops and operators are around the current place.
    depth: usize,
    locs: &'a mut Locs,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl VisitMut for Inliner<'_> {
    fn name(&mut self, name: &mut Name) {
        if let Operand::Var(to) = self.subst.get((*name).into()) {
            *name = to;
        }
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.subst.get(*operand);
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        self.depth += 1;
        walk_mut::lambda(self, lambda);
        self.depth -= 1;
    }

    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                let is_loop = matches!(stm.exp, Exp::Loop { .. });
                self.depth += usize::from(is_loop);
                walk_mut::stm(self, &mut stm);
                self.depth -= usize::from(is_loop);
                match self.inlined(&stm) {
                    Some(mut inner) => {
                        // Calls in it that were refused where they stood may be welcome here.
                        self.body(&mut inner);
                        body.stms.append(&mut inner.stms);
                        for (param, result) in stm.pat.iter().zip(&inner.results) {
                            self.subst.insert(param.name, *result);
                        }
                    }
                    None => body.stms.push(stm),
                }
            }
            for result in &mut body.results {
                self.operand(result);
            }
        });
    }
}

impl Inliner<'_> {
    /// What takes the place of a call, if it is to be inlined.
    fn inlined(&mut self, stm: &Stm) -> Option<Body> {
        let Exp::Call(f, args) = &stm.exp else { return None };
        let at = *self.index.get(f)?;
        let (fun, about) = (&self.funs[at], &self.about[at]);
        let rule = self.rule(stm, fun, about)?;
        if !self.log.fire(rule) {
            return None;
        }
        if rule != "inline-once" {
            *self.room = self.room.saturating_sub(about.size);
        }
        *self.calls.entry(*f).or_default() -= 1;
        for (g, n) in &about.calls {
            *self.calls.entry(*g).or_default() += n;
        }
        let mut body = visit::instantiate(&fun.params, &fun.body, args, self.fresh);
        Relocate { locs: self.locs, call: stm.loc, known: FxHashMap::default() }.body(&mut body);
        let attrs: Vec<Attr> = stm.attrs.0.iter().filter(|attr| !attr.is_about_inlining()).copied().collect();
        for inner in &mut body.stms {
            inner.certs.extend(stm.certs.iter().filter(|cert| !inner.certs.contains(cert)).collect::<Vec<&Name>>());
            // An attribute about where to run goes only onto statements that have a choice.
            let runs = inner.exp.may_run_in_parallel();
            let is_said = |attr: &&Attr| runs || !attr.is_about_operators();
            let mut all: Vec<Attr> = attrs.iter().filter(is_said).copied().collect();
            all.append(&mut inner.attrs.0);
            inner.attrs = Attrs(all);
        }
        Some(body)
    }

    fn rule(&mut self, stm: &Stm, fun: &Fun, about: &About) -> Option<&'static str> {
        if stm.attrs.has(Attr::NoInline) || fun.attrs.has(Attr::NoInline) && !stm.attrs.has(Attr::Inline) {
            return None;
        }
        if stm.attrs.has(Attr::Inline) || fun.attrs.has(Attr::Inline) {
            return Some("inline-attribute");
        }
        let calls = self.calls.get(&fun.name).copied().unwrap_or(0);
        if calls == 1 && fun.entry.is_none() {
            return Some("inline-once");
        }
        let fits = about.size <= TINY || about.size <= *self.room;
        if about.size <= SMALL && fits {
            return Some("inline-small");
        }
        if self.depth == 0 {
            return None;
        }
        if about.size <= MEDIUM && fits {
            return Some("inline-nested");
        }
        let reason = format!("the function has {} statements and is called {calls} times", about.size);
        self.log.decide(DecisionKind::CallStays, stm.loc, reason);
        None
    }
}

/// Says in positions that code was inlined. Unlike [`visit::relocate`] it remembers what it did: in a long chain of
/// calls most positions have the same callers.
struct Relocate<'a> {
    locs: &'a mut Locs,
    call: LocId,
    known: FxHashMap<LocId, LocId>,
}

impl Relocate<'_> {
    fn loc(&mut self, inner: LocId) -> LocId {
        let mut chain = Vec::new();
        let mut next = Some(inner);
        let mut outer = self.call;
        while let Some(id) = next {
            if let Some(known) = self.known.get(&id) {
                outer = *known;
                break;
            }
            chain.push(id);
            next = self.locs.get(id).caller;
        }
        for id in chain.into_iter().rev() {
            let place = self.locs.get(id).place;
            outer = self.locs.add(Loc { place, caller: Some(outer) });
            self.known.insert(id, outer);
        }
        outer
    }
}

impl VisitMut for Relocate<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        stm.loc = self.loc(stm.loc);
        walk_mut::stm(self, stm);
    }
}
