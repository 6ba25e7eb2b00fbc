//! Which `par`s run on the cores of the CPU.
//!
//! ```text
//! let b_1 = par (i_2 < n_3) own {              let b_1 = par core (i_2 < n_3) own {
//!   let s_4 = par (j_5 < m_6) reduce … {…}  ⇒    let s_4 = par core (j_5 < m_6) reduce … {…}
//!   in s_4                                       in s_4
//! }                                            }
//! ```
//!
//! Each `par` in host code does, and so does what stands in it, if the sizes may be large: `core` in `core` runs in
//! parallel where the one around it has fewer iterations than there are cores, and in sequence otherwise. Whether there
//! is enough to do for a second core is decided when the program runs.
//!
//! | attribute | |
//! |---|---|
//! | `#[sequential]` | nothing of it runs in parallel |
//! | `#[sequential_outer]` | it does not, what is in it may |
//! | `#[sequential_inner]` | it may, what is in it does not |
//!
//! On a branch they are said of what is in it. A loop runs in sequence anyhow, so that on a loop they are about what is
//! in it. On a call they are said of what the function does at its top: there is a copy of the function for that, see
//! [`copies`], if others call it as well. A fused operator has the attributes of all its parts.
//!
//! A `par` that has a level already keeps it. Functions that are only called from inside a `par` stay as they are. The
//! log has a decision for every `par`. Linear, but for copies of functions, of which each function gets at most one for
//! each combination of attributes.

mod copies;

use copies::{Copies, Key};
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{for_each_body, for_each_body_mut};
use kenaz_ir::{Attr, Attrs, Body, DecisionKind, Exp, Level, LocId, Log, Operand, Par, Pass, PassCx, Prog, Stm};
use rustc_hash::FxHashSet;

pub const CORES: Pass = Pass {
    name: "cores",
    about: "say what runs on the cores of the CPU",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: cores,
};

/// A `par` inside of another with fewer iterations than this is not worth a second version.
const SMALL: i64 = 1024;

/// How deeply `core` stands in `core`: each level is one more version of what is inside.
pub const DEEPEST: usize = 3;

pub(crate) fn cores(prog: &mut Prog, cx: &mut PassCx) {
    let level = cx.target.levels.first().copied().unwrap_or(Level::Core);
    let deepest = if level.may_stand_in(Some(level)) { DEEPEST } else { 1 };
    let log = &mut cx.log;
    let mut on_host: FxHashSet<Symbol> = FxHashSet::default();
    // Callees stand before their callers.
    for fun in prog.funs.iter().rev() {
        if fun.entry.is_some() || on_host.contains(&fun.name) {
            calls(&fun.body, 0, level, &mut on_host);
            on_host.insert(fun.name);
        }
    }
    let copies = Copies::new(prog.funs.iter().map(|fun| fun.name));
    let mut cores = Cores { level, deepest, log, on_host, asked: FxHashSet::default(), copies };
    let mut funs = Vec::with_capacity(prog.funs.len());
    for mut fun in std::mem::take(&mut prog.funs).into_iter().rev() {
        let mut copies = cores.copies.of(&fun, &mut prog.fresh);
        for copy in &mut copies {
            cores.body(&mut copy.body, 0);
        }
        let is_used = fun.entry.is_some() || cores.copies.is_called(fun.name) || copies.is_empty();
        funs.append(&mut copies);
        if !is_used {
            continue;
        }
        if cores.on_host.contains(&fun.name) {
            cores.body(&mut fun.body, 0);
        } else {
            let asked = cores.asked.contains(&fun.name);
            cores.closed(&mut fun.body, Why::Chosen("only iterations call the function that it is in"), asked);
        }
        funs.push(fun);
    }
    funs.reverse();
    prog.funs = funs;
}

/// The functions that host code calls.
fn calls(body: &Body, depth: usize, level: Level, out: &mut FxHashSet<Symbol>) {
    with_stack(|| {
        for stm in body.stms.iter().filter(|stm| !is_closed(stm)) {
            match &stm.exp {
                Exp::Call(f, _) => drop(out.insert(*f)),
                Exp::Par(par) => {
                    if par.level.is_none()
                        && (stays(par, &stm.attrs, depth).is_some() || makes_room(par, level).is_some())
                        && !stm.attrs.has(Attr::SequentialInner)
                    {
                        calls(&par.body, depth, level, out);
                    }
                }
                exp => for_each_body(exp, |body| calls(body, depth, level, out)),
            }
        }
    });
}

struct Cores<'a> {
    /// The one that is given.
    level: Level,
    deepest: usize,
    log: &'a mut Log,
    on_host: FxHashSet<Symbol>,
    /// The other functions that are called where nothing is to run in parallel.
    asked: FxHashSet<Symbol>,
    copies: Copies,
}

impl Cores<'_> {
    /// A body inside `depth` loops of level `core`.
    fn body(&mut self, body: &mut Body, depth: usize) {
        with_stack(|| body.stms.iter_mut().for_each(|stm| self.stm(stm, depth)));
    }

    fn stm(&mut self, stm: &mut Stm, depth: usize) {
        let is_closed = is_closed(stm);
        let Stm { attrs, exp, loc, .. } = stm;
        match exp {
            Exp::Call(f, _) => self.call(f, Key::of(attrs)),
            exp if is_closed => {
                if matches!(exp, Exp::Par(_)) {
                    self.log.obey(DecisionKind::InSequence, *loc, "`#[sequential]`");
                }
                for_each_body_mut(exp, |body| self.closed(body, Why::Asked("`#[sequential]` stands around it"), true));
            }
            Exp::Par(par) => self.par(par, attrs, *loc, depth),
            Exp::If(..) | Exp::Match(..) => for_each_body_mut(exp, |body| {
                Key::of(attrs).add_to(body);
                self.body(body, depth);
            }),
            exp => for_each_body_mut(exp, |body| self.body(body, depth)),
        }
    }

    fn par(&mut self, par: &mut Par, attrs: &Attrs, loc: LocId, depth: usize) {
        if par.level.is_some_and(|level| level != self.level) {
            return;
        }
        let reason =
            if par.level.is_none() { stays(par, attrs, depth).or_else(|| makes_room(par, self.level)) } else { None };
        let (stays, inner) = (reason.is_some(), depth + usize::from(reason.is_none()));
        match reason {
            Some(why) => why.log(self.log, DecisionKind::InSequence, loc),
            None => {
                par.level = Some(self.level);
                let place = if depth == 0 { "" } else { ", where the one around it has too few iterations" };
                let kind = if self.level == Level::Core { DecisionKind::OnCores } else { DecisionKind::OnGrid };
                self.log.decide(kind, loc, format!("its iterations are independent{place}"));
            }
        }
        let closed = if attrs.has(Attr::SequentialInner) {
            Some(Why::Asked("`#[sequential_inner]` stands around it"))
        } else if !stays && !par.ops.is_empty() {
            Some(Why::Chosen("inside of a reduction or scan on the cores all does"))
        } else {
            (inner >= self.deepest).then_some(Why::Chosen("there are enough parallel loops around it"))
        };
        let asked = attrs.has(Attr::SequentialInner);
        match closed {
            Some(why) => self.closed(&mut par.body, why, asked),
            None => self.body(&mut par.body, inner),
        }
        if let Some(post) = &mut par.post {
            self.closed(&mut post.body, closed.unwrap_or(Why::Chosen("it comes behind a scan")), asked);
        }
    }

    /// A body in which nothing runs on the cores, for a reason; if that was asked for, this is also so in the functions
    /// that it calls.
    fn closed(&mut self, body: &mut Body, why: Why, asked: bool) {
        with_stack(|| {
            for stm in &mut body.stms {
                match &mut stm.exp {
                    Exp::Call(f, _) => self.call(f, if asked { Key::SEQUENTIAL } else { Key::default() }),
                    Exp::Par(par) if par.level.is_none() => why.log(self.log, DecisionKind::Closed, stm.loc),
                    _ => {}
                }
                for_each_body_mut(&mut stm.exp, |body| self.closed(body, why, asked));
            }
        });
    }

    /// A call with these attributes. A function that the host does not call otherwise runs in sequence as it is.
    fn call(&mut self, f: &mut Symbol, key: Key) {
        if self.on_host.contains(f) {
            *f = self.copies.called(*f, key);
        } else {
            *f = self.copies.called(*f, Key::default());
            if key == Key::SEQUENTIAL {
                self.asked.insert(*f);
            }
        }
    }
}

/// Why a `par` runs in sequence, in words.
#[derive(Clone, Copy)]
pub(crate) enum Why {
    /// An attribute says so.
    Asked(&'static str),
    Chosen(&'static str),
}

impl Why {
    fn log(self, log: &mut Log, kind: DecisionKind, loc: LocId) {
        match self {
            Why::Asked(reason) => log.obey(kind, loc, reason),
            Why::Chosen(reason) => log.decide(kind, loc, reason),
        }
    }
}

/// Whether nothing of a statement is to run in parallel.
pub(crate) fn is_closed(stm: &Stm) -> bool {
    let is_loop = matches!(stm.exp, Exp::Loop { .. });
    stm.attrs.has(Attr::Sequential) || is_loop && stm.attrs.has(Attr::SequentialInner)
}

/// Why a `par` that is inside of so many `core`s runs in sequence.
pub(crate) fn stays(par: &Par, attrs: &Attrs, depth: usize) -> Option<Why> {
    if attrs.has(Attr::SequentialOuter) {
        return Some(Why::Asked("`#[sequential_outer]`"));
    }
    (!is_worth(par, depth)).then_some(Why::Chosen("it has too few iterations"))
}

/// Why a `par` does not get a level: an attribute inside of it asks for one that could then not run.
fn makes_room(par: &Par, level: Level) -> Option<Why> {
    let is_closed = !par.ops.is_empty();
    let clashes = |inner: Level| !inner.may_stand_in(Some(level)) || inner == level && is_closed;
    let asks = |stm: &Stm| matches!(&stm.exp, Exp::Par(par) if par.level.is_some_and(clashes));
    let of_ops = par.ops.iter().map(|op| &op.lambda.body).chain(par.post.iter().map(|post| &post.body));
    let asked = of_ops.chain([&par.body]).any(|body| effects::any(body, asks));
    asked.then_some(Why::Chosen("an attribute asks for a level inside of it"))
}

/// Whether a `par` may have enough iterations.
fn is_worth(par: &Par, depth: usize) -> bool {
    let constant = |n: &Operand| match n {
        Operand::Const(c) => c.as_i64(),
        Operand::Var(_) => None,
    };
    let least = if depth == 0 { 2 } else { SMALL };
    let product = par.space.iter().try_fold(1i64, |product, (_, n)| Some(product.saturating_mul(constant(n)?)));
    product.is_none_or(|product| product >= least)
}
