//! The walk through a function from its end to its beginning: which copies are not needed, and which parameters
//! should be unique.

use super::copy_before;
use super::live::Live;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::alias::{Aliases, Owner, StoreId};
use kenaz_ir::sharing::Signatures;
use kenaz_ir::visit::Visit;
use kenaz_ir::{Body, Exp, Fresh, Fun, Lambda, LocId, Log, Name, Operand, Param, Soac, Stm};
use rustc_hash::{FxHashMap, FxHashSet};

/// The findings about a program.
#[derive(Default)]
pub(super) struct Found {
    /// Whether a loop's parameter or a function's result became unique.
    pub changed: bool,
    /// The copies that stay, and why.
    pub kept: Vec<(LocId, String)>,
    pub wishes: Vec<Wish>,
    /// For each parameter of a function that is not unique.
    pub tallies: FxHashMap<(Symbol, usize), Tally>,
}

/// A copy that would not be needed if these parameters of its function were unique.
pub(super) struct Wish {
    pub fun: Symbol,
    pub params: Vec<usize>,
    /// Whether it is made in each call.
    pub always: bool,
    pub loc: LocId,
}

/// How many calls of a function give what for one of its parameters.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub calls: usize,
    /// Arrays of the caller that it does not use any more.
    pub done: usize,
    /// The same, if only a parameter of the caller or of a loop in it were unique.
    pub given: usize,
}

/// A function, loop or lambda around the current place.
struct Frame {
    is_lambda: bool,
    pending: Vec<Pending>,
}

/// A copy that is not needed if these parameters of the frame are unique.
struct Pending {
    copy: Name,
    params: Vec<Name>,
    always: bool,
    loc: LocId,
}

/// Whether an array can be consumed at the current place instead of being copied.
enum Fate {
    /// It can be consumed.
    Done,
    /// It could be if these parameters of the frame were unique.
    Given(Vec<Name>),
    /// Not even then.
    Needed(String),
}

pub(super) struct Walk<'a> {
    aliases: &'a Aliases,
    signatures: &'a Signatures,
    live: Live<'a>,
    frames: Vec<Frame>,
    /// How many branches are around the current place.
    branches: usize,
    /// How many functions to be derived are around the current place.
    derivatives: usize,
    granted: FxHashSet<Name>,
    found: &'a mut Found,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        aliases: &'a Aliases,
        signatures: &'a Signatures,
        found: &'a mut Found,
        fresh: &'a mut Fresh,
        log: &'a mut Log,
    ) -> Walk<'a> {
        Walk {
            aliases,
            signatures,
            live: Live::new(aliases),
            frames: Vec::new(),
            branches: 0,
            derivatives: 0,
            granted: FxHashSet::default(),
            found,
            fresh,
            log,
        }
    }

    /// Makes loops in a function unique; gives the copies that are not needed then.
    pub(super) fn fun(mut self, fun: &mut Fun) -> FxHashSet<Name> {
        let pending = self.frame(false, &mut fun.body);
        let index: FxHashMap<Name, usize> = fun.params.iter().enumerate().map(|(i, p)| (p.name, i)).collect();
        for Pending { params, always, loc, .. } in pending {
            let params = params.iter().map(|p| index[p]).collect();
            self.found.wishes.push(Wish { fun: fun.name, params, always, loc });
        }
        self.granted
    }

    /// The body of a frame; gives the copies whose parameters are not unique.
    fn frame(&mut self, is_lambda: bool, body: &mut Body) -> Vec<Pending> {
        self.frames.push(Frame { is_lambda, pending: Vec::new() });
        self.body(body);
        self.frames.pop().map_or_else(Vec::new, |frame| frame.pending)
    }

    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for name in body.results.iter().filter_map(|x| x.name()) {
                self.live.add(name, None);
            }
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
                let copies = self.stm(&mut stm);
                out.push(stm);
                for mut copy in copies.into_iter().rev() {
                    self.stm(&mut copy);
                    out.push(copy);
                }
            }
            out.reverse();
            body.stms = out;
        });
    }

    /// Gives copies to be made before the statement.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        for param in &stm.pat {
            self.live.remove(param.name);
        }
        let mut copies = Vec::new();
        match &mut stm.exp {
            Exp::Copy(array) if stm.attrs.is_free() && self.derivatives == 0 => {
                self.copy(stm.pat[0].name, *array, stm.loc);
            }
            Exp::If(_, yes, no) => self.branches([yes, no]),
            Exp::Match(_, cases, default) => self.branches(cases.iter_mut().map(|(_, body)| body).chain([default])),
            Exp::Loop { params, form: _, body } => {
                let pending = self.frame(false, body);
                for (param, _) in params.iter() {
                    self.live.remove(param.name);
                }
                copies = self.loop_(params, body, pending, stm.loc);
            }
            Exp::Call(f, args) => self.call(*f, args),
            Exp::Soac(soac) => self.soac(soac),
            Exp::Jvp(f, ..) | Exp::Vjp(f, ..) => {
                self.derivatives += 1;
                self.lambda(f);
                self.derivatives -= 1;
            }
            _ => {} // Nothing but what it uses.
        }
        let user = stm.pat.first().map(|p| p.name);
        Uses(|name| self.live.add(name, user)).exp(&stm.exp);
        copies
    }

    fn branches<'b>(&mut self, bodies: impl IntoIterator<Item = &'b mut Body>) {
        let then = self.live.now();
        let mut added = Vec::new();
        self.branches += 1;
        for body in bodies {
            self.body(body);
            added.extend(self.live.rewind(then));
        }
        self.branches -= 1;
        for (name, user) in added {
            self.live.add(name, user);
        }
    }

    fn soac(&mut self, soac: &mut Soac) {
        match soac {
            Soac::Screma { map, scans, reduces, post, .. } => {
                let scans = scans.iter_mut().map(|s| &mut s.op);
                for op in scans.chain(reduces.iter_mut().map(|r| &mut r.op)).chain(post) {
                    self.lambda(op);
                }
                self.lambda(map);
            }
            Soac::Filter { pred: map, .. } | Soac::Scatter { map, .. } => self.lambda(map),
            Soac::Hist { map, ops, .. } => {
                for op in ops {
                    self.lambda(&mut op.op);
                }
                self.lambda(map);
            }
            Soac::WithAcc { inputs, body } => {
                // The body runs once, but the operators run while it does: what they use is needed up to its end.
                for (op, _) in inputs.iter_mut().filter_map(|input| input.op.as_mut()) {
                    self.lambda(op);
                }
                self.body(&mut body.body);
                for param in &body.params {
                    self.live.remove(param.name);
                }
            }
            Soac::UpdateAcc { .. } => {}
        }
    }

    /// A lambda that may run any number of times.
    fn lambda(&mut self, lambda: &mut Lambda) {
        let pending = self.frame(true, &mut lambda.body);
        for Pending { params, loc, .. } in pending {
            let reason = format!("`{}` is part of an array that the operator does not own", params[0]);
            self.found.kept.push((loc, reason));
        }
        for param in &lambda.params {
            self.live.remove(param.name);
        }
    }

    fn copy(&mut self, copy: Name, array: Name, loc: LocId) {
        match self.fate(array) {
            Fate::Done => {
                self.granted.insert(copy);
            }
            Fate::Given(params) => {
                let always = self.branches == 0;
                if let Some(frame) = self.frames.last_mut() {
                    frame.pending.push(Pending { copy, params, always, loc });
                }
            }
            Fate::Needed(reason) => self.found.kept.push((loc, reason)),
        }
    }

    fn fate(&self, array: Name) -> Fate {
        let set = self.aliases.get(array);
        if let Some(id) = set.iter().find(|id| self.live.has(**id)) {
            let Some((name, user)) = self.live.user(*id) else {
                return Fate::Needed(format!("something that `{array}` may alias is used later"));
            };
            let shared = if name == array { String::new() } else { format!(", which `{array}` may alias,") };
            return Fate::Needed(match user {
                Some(user) => format!("`{name}`{shared} is used later by `{user}`"),
                None => format!("`{name}`{shared} is yielded later"),
            });
        }
        let here = self.frames.len() - 1;
        let mut given = Vec::new();
        for id in set {
            let store = self.aliases.store(*id);
            if store.frame != here {
                return Fate::Needed(format!("`{}` comes from outside a body that may run again", store.name));
            }
            match store.owner {
                Owner::Frame => {}
                Owner::Giver => given.push(store.name),
                Owner::Several => return Fate::Needed(format!("`{array}` may be any of many arrays")),
            }
        }
        if given.is_empty() { Fate::Done } else { Fate::Given(given) }
    }

    /// Takes note of what a call gives.
    fn call(&mut self, f: Symbol, args: &[Operand]) {
        let Some(signature) = self.signatures.get(f) else { return };
        for (i, arg) in args.iter().enumerate() {
            let Operand::Var(arg) = arg else { continue };
            if signature.consumes.get(i) != Some(&false) || self.aliases.get(*arg).is_empty() {
                continue;
            }
            let others = args.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, x)| x.name());
            let is_shared = others.into_iter().any(|other| self.aliases.may_share(*arg, other));
            let fate = self.fate(*arg);
            let tally = self.found.tallies.entry((f, i)).or_default();
            tally.calls += 1;
            match fate {
                _ if is_shared || self.derivatives > 0 => {}
                Fate::Done => tally.done += 1,
                Fate::Given(_) if self.frames.last().is_some_and(|frame| !frame.is_lambda) => tally.given += 1,
                Fate::Given(_) | Fate::Needed(_) => {}
            }
        }
    }

    /// Makes parameters of a loop unique for whose sake there are copies in its body; gives the copies of their initial
    /// values.
    fn loop_(&mut self, params: &mut [(Param, Operand)], body: &Body, pending: Vec<Pending>, loc: LocId) -> Vec<Stm> {
        if pending.is_empty() {
            return Vec::new();
        }
        let next = Next::of(params, body, self.aliases, self.frames.len());
        let mut unique: Vec<usize> = Vec::new();
        for Pending { copy, params: wanted, loc, .. } in pending {
            match next.group(&wanted, params) {
                Ok(group) => {
                    if group.iter().any(|i| !params[*i].0.unique) {
                        if !self.log.fire("loop-in-place") {
                            continue;
                        }
                        for i in group {
                            if !std::mem::replace(&mut params[i].0.unique, true) {
                                unique.push(i);
                            }
                        }
                        self.found.changed = true;
                    }
                    self.granted.insert(copy);
                }
                Err(reason) => self.found.kept.push((loc, reason)),
            }
        }
        copy_before(params.iter_mut().map(|(p, x)| (&*p, x)), &unique, loc, self.fresh)
    }
}

/// The next values of a loop's parameters.
struct Next<'a> {
    aliases: &'a Aliases,
    values: Vec<&'a [StoreId]>,
    /// How many of them may lie in a store.
    uses: FxHashMap<StoreId, usize>,
    index: FxHashMap<Name, usize>,
    /// The frame of the loop's body.
    frame: usize,
}

impl<'a> Next<'a> {
    fn of(params: &[(Param, Operand)], body: &Body, aliases: &'a Aliases, frame: usize) -> Next<'a> {
        let values: Vec<&[StoreId]> = body.results.iter().map(|x| aliases.of_operand(*x)).collect();
        let mut uses: FxHashMap<StoreId, usize> = FxHashMap::default();
        for id in values.iter().copied().flatten() {
            *uses.entry(*id).or_default() += 1;
        }
        let index = params.iter().enumerate().map(|(i, (p, _))| (p.name, i)).collect();
        Next { aliases, values, uses, index, frame }
    }

    /// The parameters that must become unique together with some, or why they cannot.
    fn group(&self, wanted: &[Name], params: &[(Param, Operand)]) -> Result<Vec<usize>, String> {
        let mut group: Vec<usize> = Vec::new();
        let mut todo: Vec<usize> = wanted.iter().map(|name| self.index[name]).collect();
        let mut seen = vec![false; params.len()];
        while let Some(i) = todo.pop() {
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            group.push(i);
            let param = params[i].0.name;
            for id in self.values[i] {
                let store = self.aliases.store(*id);
                if self.uses[id] > 1 {
                    return Err(format!("the next value of `{param}` may be that of another parameter of the loop"));
                }
                if store.frame != self.frame || store.owner == Owner::Several {
                    return Err(format!("the next value of `{param}` may be `{}`, from outside the loop", store.name));
                }
                if store.owner == Owner::Giver {
                    todo.push(self.index[&store.name]);
                }
            }
        }
        Ok(group)
    }
}

/// The names that an expression uses outside its bodies and lambdas.
struct Uses<F>(F);

impl<F: FnMut(Name)> Visit for Uses<F> {
    fn name(&mut self, name: &Name) {
        (self.0)(*name);
    }

    fn body(&mut self, _: &Body) {}

    fn lambda(&mut self, _: &Lambda) {}

    // The types of a loop's parameters.
    fn param(&mut self, _: &Param) {}
}
