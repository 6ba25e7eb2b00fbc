//! Moving statements to where they are evaluated less often: loop-invariant code out of loops and lambdas, checks in
//! front of the operator in which they were, and code that only one branch uses into that branch.
//!
//! ```text
//! map n (a) \(x: i64) -> {              let q: bool = lt k m
//!   let q: bool = lt k m                let e: bool = le n 0
//!   let c: cert = assert q "…"     →    let o: bool = or e q
//!   let y: i64 = <c> index b[k]         let c: cert = assert o "…"
//!   …                                   map n (a) \(x: i64) -> { let y: i64 = <c> index b[k] …
//! ```
//!
//! The program is walked once. Every body that the walk is in is a *level* with the statements that stay in it so far,
//! and a name belongs to the level in which it is bound. A statement can go to the level of the last of the names it
//! uses, where it comes after all that is already there and in front of the statement that the walk is in. So whatever
//! leaves a body leaves as many levels as it can at once, and definitions stay in front of uses.
//!
//! What may leave which level:
//! - Scalar arithmetic that cannot go wrong leaves any.
//! - Operators, branches and copies that cannot go wrong leave loops and lambdas, which may turn out not to run at all;
//!   they do not leave branches.
//! - Code that can go wrong (division, indexing, arrays whose size may be negative, bodies with checks in them) leaves
//!   only bodies that are known to run, and never passes a check, which may be what makes it safe. Operators and loops
//!   of this kind leave other loops and lambdas as well, as `if skipped then {…} else {…}`.
//! - Checks: see [`checks`].
//! - A statement that prints, consumes, updates accumulators, is pinned by an attribute or reads an array that is not
//!   fixed (see [`Sharing`]) stays.
//!
//! `iota` and `replicate` leave a body only with an operator that needs them: other passes like to see them next to
//! their users. Scalars leave a branch only on the way out of a loop or lambda.
//!
//! The cost is that of the program's size, times the depth of nesting at worst. It leaves to `simplify` what becomes
//! constant, equal or unused.

mod checks;
mod nature;
mod sink;

use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::facts::Facts;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, free_in_stm};
use kenaz_ir::{
    Attrs, BinOp, Body, Exp, Fresh, Fun, Lambda, LocId, Log, LoopForm, Name, Operand, Param, Pass, PassCx, Prog,
    Scalar, Soac, Stm, Type,
};
use nature::Nature;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

pub const PASS: Pass = Pass {
    name: "hoist",
    about: "moves invariant code and checks out of loops and operators, and code that one branch needs into it",
    stage: None,
    run: hoist,
};

pub const RULES: &[&str] = &[
    "prove-check",
    "hoist-check",
    "hoist-check-loop",
    "hoist-index-check",
    "hoist-guarded",
    "hoist-operator",
    "hoist-view",
    "hoist-scalar",
    "sink-into-branch",
];

pub fn hoist(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    let signatures = Signatures::of(prog);
    let mut natures = FxHashMap::default();
    for fun in &mut prog.funs {
        let sharing = Sharing::of(fun, &signatures);
        let mut walk = Hoist::new(&sharing, &natures, &mut prog.fresh, log);
        let nature = walk.fun(fun);
        sink::sink(fun, &sharing, &natures, log);
        natures.insert(fun.name, nature);
    }
}

/// How often a body runs each time when control comes to the statement it is in.
enum Run {
    /// Once.
    Once,
    /// An unknown number of times, as with the operator of a reduction.
    Unknown,
    /// Something happens to the code in it, so that it must stay.
    Barrier,
    /// As often as the operand says, of this integer type.
    Times(Operand, Prim),
    /// At least once if the operand is true.
    While(Operand),
    /// Once if the operand has this value.
    If(Operand, Scalar),
    /// Once if it is not equal to the operand.
    Else,
}

impl Run {
    fn repeats(&self) -> bool {
        matches!(self, Run::Unknown | Run::Times(..) | Run::While(_))
    }
}

/// A body that the walk is in.
struct Level {
    run: Run,
    /// The statements that stay here; none where one was taken away later.
    stms: Vec<Option<Stm>>,
    about: About,
    /// The names that the body yields.
    yielded: FxHashSet<Name>,
    /// Whether there is a check among the statements.
    checked: bool,
    /// From how many checks something was learnt.
    learnt: usize,
    /// The condition under which the body does not run, once somebody asked for it.
    skipped: Option<Operand>,
    /// The condition under which this or one of the levels around it, up to the one inside this, does not run.
    skipped_from: Option<(usize, Option<Operand>)>,
    /// The sizes that are known not to be negative since there is such an array here.
    sizes: Vec<Name>,
    /// Whether [`Hoist::widths`] has the number of iterations from here.
    has_width: bool,
}

/// What is known about a statement or body.
#[derive(Clone, Default)]
struct About {
    /// The levels whose names it uses.
    uses: Levels,
    /// The same, if what is held were where it could go.
    at_best: Levels,
    nature: Nature,
}

impl About {
    fn add(&mut self, other: &About) {
        self.uses.add(&other.uses);
        self.at_best.add(&other.at_best);
        self.nature |= other.nature;
    }
}

/// A set of levels.
#[derive(Clone, Default)]
struct Levels(SmallVec<[u64; 1]>);

impl Levels {
    fn insert(&mut self, level: usize) {
        let word = level / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (level % 64);
    }

    fn add(&mut self, other: &Levels) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Keeps the levels up to this one.
    fn up_to(&mut self, last: usize) {
        self.0.truncate(last / 64 + 1);
        if let Some(word) = self.0.get_mut(last / 64) {
            *word &= u64::MAX >> (63 - last % 64);
        }
    }

    /// The innermost, or that of the function.
    fn last(&self) -> usize {
        let word = self.0.iter().rposition(|word| *word != 0);
        word.map_or(0, |i| i * 64 + 63 - self.0[i].leading_zeros() as usize)
    }
}

struct Hoist<'a> {
    sharing: &'a Sharing,
    natures: &'a FxHashMap<Symbol, Nature>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
    /// What holds where the walk is.
    facts: Facts,
    levels: Vec<Level>,
    /// The level of each name.
    bound: FxHashMap<Name, usize>,
    /// How scalars and `iota`s were computed.
    defs: FxHashMap<Name, Exp>,
    /// The types of these scalars.
    types: FxHashMap<Name, Type>,
    /// For each size that is not negative the outermost level with an array that has it.
    sizes: FxHashMap<Name, usize>,
    /// For each number of iterations of a level the outermost such level: inside it, there is at least one.
    widths: FxHashMap<Operand, usize>,
    /// The names that go through 0, 1, … in the iterations of a level, up to the operand.
    indices: FxHashMap<Name, Operand>,
    /// The same for indices of smaller signed types.
    small: FxHashSet<Name>,
    /// `iota`s and the like: the level to which they could go, and where in their level they are.
    held: FxHashMap<Name, (usize, usize)>,
}

impl<'a> Hoist<'a> {
    fn new(
        sharing: &'a Sharing,
        natures: &'a FxHashMap<Symbol, Nature>,
        fresh: &'a mut Fresh,
        log: &'a mut Log,
    ) -> Hoist<'a> {
        Hoist {
            sharing,
            natures,
            fresh,
            log,
            facts: Facts::new(),
            levels: Vec::new(),
            bound: FxHashMap::default(),
            defs: FxHashMap::default(),
            types: FxHashMap::default(),
            sizes: FxHashMap::default(),
            widths: FxHashMap::default(),
            indices: FxHashMap::default(),
            small: FxHashSet::default(),
            held: FxHashMap::default(),
        }
    }

    fn fun(&mut self, fun: &mut Fun) -> Nature {
        let mut about = About::default();
        self.facts.enter_fun(fun);
        self.body(&mut fun.body, Run::Once, &fun.params, &mut about);
        about.nature
    }

    // Bodies

    /// Goes through a body with names of its own, and adds what it uses around it.
    fn body<'p>(&mut self, body: &mut Body, run: Run, params: impl IntoIterator<Item = &'p Param>, about: &mut About) {
        with_stack(|| {
            let level = self.levels.len();
            let mut has_width = false;
            if let Run::Times(n @ Operand::Var(_), _) = run {
                has_width = !self.widths.contains_key(&n);
                self.widths.entry(n).or_insert(level);
            }
            self.levels.push(Level {
                run,
                stms: Vec::with_capacity(body.stms.len()),
                about: About::default(),
                yielded: body.results.iter().filter_map(|x| x.name()).collect(),
                checked: false,
                learnt: 0,
                skipped: None,
                skipped_from: None,
                sizes: Vec::new(),
                has_width,
            });
            for param in params {
                self.bind(param, level);
            }
            for stm in std::mem::take(&mut body.stms) {
                self.stm(stm);
            }
            let mut level = self.levels.pop().expect("the level pushed above");
            body.stms = level.stms.into_iter().flatten().collect();
            for result in &body.results {
                self.add_use(*result, &mut level.about);
            }
            for size in level.sizes {
                if self.sizes.get(&size) == Some(&self.levels.len()) {
                    self.sizes.remove(&size);
                }
            }
            if level.has_width
                && let Run::Times(n, _) = level.run
            {
                self.widths.remove(&n);
            }
            about.add(&level.about);
        });
    }

    /// Does something while more is known.
    fn knowing(&mut self, learn: impl FnOnce(&mut Facts), f: impl FnOnce(&mut Self)) {
        let mark = self.facts.mark();
        learn(&mut self.facts);
        f(self);
        self.facts.reset(mark);
    }

    fn bind(&mut self, param: &Param, level: usize) {
        self.bound.insert(param.name, level);
        for size in param.ty.dims().iter().filter_map(|n| n.name()) {
            if self.sizes.get(&size).is_none_or(|known| *known > level) {
                self.levels[level].sizes.push(size);
                self.sizes.insert(size, level);
            }
        }
    }

    fn add_use(&self, x: impl Into<Operand>, about: &mut About) {
        let Operand::Var(name) = x.into() else { return };
        // A name without a level is one of the statement's own pattern.
        let Some(level) = self.bound.get(&name) else { return };
        about.uses.insert(*level);
        about.at_best.insert(self.held.get(&name).map_or(*level, |(best, _)| *best));
    }

    /// The level of an operand.
    fn level_of(&self, x: Operand) -> usize {
        x.name().and_then(|name| self.bound.get(&name).copied()).unwrap_or(0)
    }

    /// The bodies inside a statement.
    fn nested(&mut self, exp: &mut Exp, about: &mut About) {
        const NONE: [&Param; 0] = [];
        let inner = self.levels.len();
        match exp {
            Exp::If(cond, yes, no) => {
                for (body, taken) in [(yes, true), (no, false)] {
                    let run = Run::If(*cond, Scalar::Bool(taken));
                    self.knowing(|facts| facts.assume(*cond, taken), |h| h.body(body, run, NONE, about));
                }
            }
            Exp::Match(x, cases, default) => {
                for i in 0..cases.len() {
                    let value = cases[i].0;
                    let again = cases[..i].iter().any(|(other, _)| *other == value);
                    let run = if again { Run::Else } else { Run::If(*x, value) };
                    self.knowing(|_| {}, |h| h.body(&mut cases[i].1, run, NONE, about));
                }
                self.knowing(|_| {}, |h| h.body(default, Run::Else, NONE, about));
            }
            Exp::Loop { params, form, body } => {
                let run = match form {
                    LoopForm::For(i, prim, n) => {
                        self.bound.insert(*i, inner);
                        match prim {
                            Prim::I64 => drop(self.indices.insert(*i, *n)),
                            Prim::I8 | Prim::I16 | Prim::I32 => drop(self.small.insert(*i)),
                            _ => {}
                        }
                        Run::Times(*n, *prim)
                    }
                    LoopForm::While(cond) => {
                        let init = params.iter().find(|(p, _)| p.name == *cond).map(|(_, init)| *init);
                        init.map_or(Run::Unknown, Run::While)
                    }
                };
                let params = params.iter().map(|(p, _)| p);
                let learn = |facts: &mut Facts| facts.enter_loop(params.clone(), form);
                self.knowing(learn, |h| h.body(body, run, params.clone(), about));
            }
            Exp::Soac(soac) => match soac {
                Soac::Screma { width, arrays, map, scans, reduces, post } => {
                    self.rows(*width, arrays, map, about);
                    for op in scans.iter_mut().map(|s| &mut s.op).chain(reduces.iter_mut().map(|r| &mut r.op)) {
                        self.lambda(op, Run::Unknown, about);
                    }
                    if let Some(post) = post {
                        self.rows(*width, &[], post, about);
                    }
                }
                Soac::Filter { width, arrays, pred } => self.rows(*width, arrays, pred, about),
                Soac::Scatter { width, arrays, map, dests: _ } => self.rows(*width, arrays, map, about),
                Soac::Hist { width, arrays, map, ops } => {
                    self.rows(*width, arrays, map, about);
                    for op in ops {
                        self.lambda(&mut op.op, Run::Unknown, about);
                    }
                }
                Soac::WithAcc { inputs, body } => {
                    for (op, _) in inputs.iter_mut().filter_map(|input| input.op.as_mut()) {
                        self.lambda(op, Run::Unknown, about);
                    }
                    self.lambda(body, Run::Once, about);
                }
                Soac::UpdateAcc { .. } => {}
            },
            Exp::Jvp(lambda, ..) | Exp::Vjp(lambda, ..) => self.lambda(lambda, Run::Barrier, about),
            // Nothing is moved into or out of what the later stages add.
            Exp::Par(_)
            | Exp::Mem(_)
            | Exp::Operand(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Conv(..)
            | Exp::Math(..)
            | Exp::Assert(..)
            | Exp::Index(..)
            | Exp::Slice(..)
            | Exp::Update(..)
            | Exp::Array(..)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Resize(..)
            | Exp::Copy(_)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..)
            | Exp::Call(..)
            | Exp::Trace(..)
            | Exp::Tunable(_)
            | Exp::Opaque(_) => {}
        }
    }

    fn lambda(&mut self, lambda: &mut Lambda, run: Run, about: &mut About) {
        let params = &lambda.params;
        self.knowing(|facts| facts.bind(params), |h| h.body(&mut lambda.body, run, params, about));
    }

    /// A lambda applied to each row.
    fn rows(&mut self, width: Operand, arrays: &[Name], lambda: &mut Lambda, about: &mut About) {
        let mark = self.facts.mark();
        self.facts.enter_lambda(width, &lambda.params);
        for (param, array) in lambda.params.iter().zip(arrays) {
            if self.counts_up(*array) {
                self.indices.insert(param.name, width);
                self.facts.enter_loop([], &LoopForm::For(param.name, Prim::I64, width));
            }
        }
        self.body(&mut lambda.body, Run::Times(width, Prim::I64), &lambda.params, about);
        self.facts.reset(mark);
    }

    /// Whether an array is 0, 1, …
    fn counts_up(&self, mut array: Name) -> bool {
        loop {
            match self.defs.get(&array) {
                Some(Exp::Operand(Operand::Var(other))) => array = *other,
                Some(Exp::Iota { start, stride, prim: Prim::I64, .. }) => {
                    return *start == Operand::i64(0) && *stride == Operand::i64(1);
                }
                _ => return false,
            }
        }
    }

    // Statements

    fn stm(&mut self, mut stm: Stm) {
        let mut about = About::default();
        self.nested(&mut stm.exp, &mut about);
        about.nature |= Nature::of(&stm, self.natures);
        Direct(|name| self.add_use(name, &mut about)).stm(&stm);
        let at = self.levels.len() - 1;
        // Sizes that are not known to be fine make it something that can go wrong.
        for n in effects::sizes(&stm.exp) {
            match n {
                Operand::Const(Scalar::I64(0..)) => {}
                Operand::Const(_) => about.nature.partial = true,
                Operand::Var(name) => match self.sizes.get(&name) {
                    Some(level) => {
                        about.uses.insert(*level);
                        about.at_best.insert(*level);
                    }
                    None => about.nature.partial = true,
                },
            }
        }
        about.uses.up_to(at);
        about.at_best.up_to(at);
        match stm.exp {
            Exp::Assert(cond, _) => {
                self.check(stm, about.nature);
                self.learn(cond, at);
            }
            _ => {
                self.facts.stm(&stm);
                self.place(stm, &about);
            }
        }
    }

    /// Learns the condition of a check, unless that costs more than it is worth: facts are looked through again and
    /// again, disjunctions above all, which is what checks become when they leave a body.
    fn learn(&mut self, cond: Operand, at: usize) {
        const MOST: usize = 200;
        let is_or = |exp: &Exp| matches!(exp, Exp::Bin(BinOp::Or, ..));
        let learnt = &mut self.levels[at].learnt;
        if *learnt < MOST && !cond.name().and_then(|name| self.defs.get(&name)).is_some_and(is_or) {
            *learnt += 1;
            self.facts.assume(cond, true);
        }
    }

    /// Puts a statement that is no check where it is evaluated least often.
    fn place(&mut self, stm: Stm, about: &About) {
        let at = self.levels.len() - 1;
        let nature = about.nature;
        let target = self.target(at, about);
        if nature.heavy && nature.partial && !nature.pinned {
            let guarded = self.guarded_target(&stm, at, about);
            if guarded < target && self.is_movable(&stm, nature) && self.log.fire("hoist-guarded") {
                return self.put_guarded(stm, guarded, at, about);
            }
        }
        if target == at || nature.pinned || !self.is_movable(&stm, nature) {
            return self.put(stm, at, about);
        }
        if nature::is_held(&stm) {
            for param in &stm.pat {
                self.held.insert(param.name, (target, self.levels[at].stms.len()));
            }
            return self.put(stm, at, about);
        }
        let is_yielded = |p: &Param| self.levels[at].yielded.contains(&p.name);
        if nature::only_writes(&stm) && stm.pat.iter().any(is_yielded) {
            return self.put(stm, at, about);
        }
        let rule = match nature.heavy {
            true => "hoist-operator",
            false if stm.pat.iter().any(|p| p.ty.is_array()) => "hoist-view",
            false => "hoist-scalar",
        };
        if !self.log.fire(rule) {
            return self.put(stm, at, about);
        }
        self.take_along(&stm, target, about);
        self.put(stm, target, about);
    }

    /// How far out an operator that can go wrong may go if it is evaluated only when it would be where it is.
    fn guarded_target(&self, stm: &Stm, at: usize, about: &About) -> usize {
        // In the other case there are arrays without meaning, whose sizes must be fine.
        let mut last = about.at_best.last();
        for param in &stm.pat {
            for n in param.ty.dims() {
                match n {
                    Operand::Const(_) => {}
                    Operand::Var(n) => match self.sizes.get(n) {
                        Some(level) if !stm.pat.iter().any(|p| p.name == *n) => last = last.max(*level),
                        _ => return at,
                    },
                }
            }
            if param.ty.prim().is_none() {
                return at;
            }
        }
        let may_leave = |k: usize| {
            let repeats = matches!(self.levels[k].run, Run::Times(..) | Run::While(_));
            self.may_leave(k, about.nature) || repeats && !self.levels[k].checked
        };
        self.way(at, last, may_leave).best
    }

    /// `if skipped then {scratch …} else {…}`
    fn put_guarded(&mut self, mut stm: Stm, target: usize, at: usize, about: &About) {
        self.take_along(&stm, target, about);
        let loc = stm.loc;
        let Some(cond) = self.skipped_between(target, at, loc) else { return self.put(stm, target, about) };
        let pat = stm.pat.clone();
        let mut none = Body::default();
        for param in &mut stm.pat {
            param.name = self.fresh.like(param.name);
            none.results.push(match &param.ty {
                Type::Array(dims, prim) => {
                    let param = Param::new(self.fresh.like(param.name), param.ty.clone());
                    let name = param.name;
                    none.stms.push(plain(
                        param,
                        Exp::Replicate(dims.clone(), Operand::Const(Scalar::zero(*prim))),
                        loc,
                    ));
                    name.into()
                }
                Type::Prim(prim) => Operand::Const(Scalar::from_bits(*prim, 0)),
                Type::Cert | Type::Mem(_) | Type::Acc { .. } => unreachable!("arrays and scalars only"),
            });
        }
        let results = stm.pat.iter().map(|p| p.name.into()).collect();
        let some = Body { stms: vec![stm], results };
        let mut about = about.clone();
        self.add_use(cond, &mut about);
        let exp = Exp::If(cond, none, some);
        let stm = Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc };
        self.put(stm, target, &about);
    }

    /// The outermost level to which a statement can go from this one, if that takes it out of a loop or lambda.
    fn target(&self, at: usize, about: &About) -> usize {
        let last = if about.nature.heavy { about.at_best.last() } else { about.uses.last() };
        let mut best = at;
        for k in (last + 1..=at).rev() {
            if !self.may_leave(k, about.nature) {
                break;
            }
            if self.levels[k].run.repeats() {
                best = k - 1;
            }
        }
        best
    }

    fn may_leave(&self, k: usize, nature: Nature) -> bool {
        let is_safe = |runs: bool| !nature.partial || runs && !self.levels[k].checked;
        match self.levels[k].run {
            Run::Once => is_safe(true),
            Run::Barrier => false,
            Run::Unknown | Run::While(_) => is_safe(false),
            Run::Times(..) => is_safe(self.runs(k)),
            Run::If(..) | Run::Else => !nature.heavy && is_safe(false),
        }
    }

    /// Whether there is an iteration of a level whenever control gets to it.
    fn runs(&self, k: usize) -> bool {
        match self.levels[k].run {
            Run::Times(Operand::Const(n), _) => n.as_i64().is_some_and(|n| n > 0),
            Run::Times(n, _) => self.widths.get(&n).is_some_and(|outer| *outer < k),
            _ => false,
        }
    }

    /// Whether all that a statement reads and yields is fixed.
    fn is_movable(&self, stm: &Stm, nature: Nature) -> bool {
        if !nature.heavy && nature::is_scalar(stm) {
            return true;
        }
        let mut fixed = stm.pat.iter().all(|p| self.sharing.is_fixed(p.name));
        if nature.heavy || matches!(stm.exp, Exp::If(..) | Exp::Match(..)) {
            return fixed && free_in_stm(stm).iter().all(|name| self.sharing.is_fixed(*name));
        }
        Direct(|name| fixed &= self.sharing.is_fixed(name)).stm(stm);
        fixed
    }

    /// Moves what is held and used by a statement that leaves.
    fn take_along(&mut self, stm: &Stm, target: usize, about: &About) {
        if about.uses.last() <= target {
            return;
        }
        for name in free_in_stm(stm) {
            let level = self.level_of(name.into());
            let Some((_, at)) = self.held.get(&name).copied() else { continue };
            if level <= target {
                continue;
            }
            let Some(held) = self.levels[level].stms[at].take() else { continue };
            self.held.remove(&name);
            let mut about = About { nature: Nature::of(&held, self.natures), ..About::default() };
            Direct(|name| self.add_use(name, &mut about)).stm(&held);
            about.uses.up_to(target);
            about.at_best.up_to(target);
            self.put(held, target, &about);
        }
    }

    /// Adds a statement to a level.
    fn put(&mut self, stm: Stm, level: usize, about: &About) {
        for param in &stm.pat {
            self.bind(param, level);
        }
        if let [param] = &stm.pat[..]
            && nature::is_definition(&stm.exp)
        {
            self.defs.insert(param.name, stm.exp.clone());
            self.types.insert(param.name, param.ty.clone());
        }
        let here = &mut self.levels[level];
        here.about.add(about);
        here.checked |= matches!(stm.exp, Exp::Assert(cond, _) if cond != Operand::bool(true));
        here.stms.push(Some(stm));
    }

    /// A new scalar, as far out as its operands allow.
    fn scalar(&mut self, base: &str, ty: Type, exp: Exp, loc: LocId) -> Operand {
        let mut about = About::default();
        Direct(|name| self.add_use(name, &mut about)).exp(&exp);
        let param = Param::new(self.fresh.named(base), ty);
        let name = param.name;
        self.put(plain(param, exp, loc), about.uses.last(), &about);
        name.into()
    }
}

/// A statement without certificates and attributes.
fn plain(param: Param, exp: Exp, loc: LocId) -> Stm {
    Stm { pat: vec![param], certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}

/// The names that a statement uses outside its bodies.
struct Direct<F>(F);

impl<F: FnMut(Name)> Visit for Direct<F> {
    fn name(&mut self, name: &Name) {
        self.0(*name);
    }

    fn body(&mut self, _: &Body) {}
}
