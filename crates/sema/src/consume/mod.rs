//! Uniqueness: aliases, consumption, and what a function's result may share memory with.
//!
//! The pass walks over a well-typed definition in the order of evaluation and computes for every expression what its
//! value may share memory with ([`Aliases`]). Consuming a value marks its roots as consumed; using a variable any of
//! whose roots is consumed is an error.
//!
//! Note [Order of evaluation]. The operands of operators and the elements of tuples, records and arrays are evaluated
//! from left to right; the arguments of a function from right to left; in `a with [i] = v` the index and the value come
//! before the array; in a loop, what it runs over comes before the initial value.
//!
//! Note [Owning]. A variable owns new memory that is bound to it: it becomes a root. A variable bound to memory of
//! others lies in their roots and needs none itself, unless its parts lie in different ones; then it gets a root of its
//! own to tie them together, so consuming a part of a record uses up the record (but not what the other parts are made
//! of). This keeps sets of roots small in long chains of bindings.
//!
//! Note [Functions]. A function may consume its parameters that are marked with `*` and what it makes itself. It may
//! refer to variables around it, and then its closure lies in their roots. The result of a call lies in the roots of
//! the closure and of the arguments that are not consumed, except for the parts that the function's type marks with
//! `*`. For definitions without a declared result, and for all lambdas and local functions, the pass finds these parts
//! itself: they lie in no parameter that is not consumed, in nothing outside the function, and in no other part of the
//! result.

mod aliases;
mod bind;
mod call;
mod expr;
mod function;
mod loops;
mod report;

use crate::checker::Checker;
use crate::types::{Scheme, SchemeParam, Ty, TyKind, VarId};
use aliases::{Aliases, RootId, Roots, holds_memory};
use kenaz_base::{Arena, Span, with_stack};
use kenaz_syntax::ast::ValBind;
use rustc_hash::FxHashMap;

impl Checker<'_> {
    /// Checks that nothing is used after it was consumed in a definition. Where the program does not say whether the
    /// result is unique, this finds out and puts it into the scheme.
    pub(crate) fn check_consumption(&mut self, bind: &ValBind, scheme: &mut Scheme) {
        let mut pass = Pass {
            cx: self,
            roots: Arena::default(),
            vars: FxHashMap::default(),
            globals: FxHashMap::default(),
            consumed: FxHashMap::default(),
            trail: Vec::new(),
            frames: Vec::new(),
            reported: Vec::new(),
        };
        pass.definition(bind, scheme);
    }
}

/// The state of the pass within one definition.
struct Pass<'c, 'a> {
    cx: &'c mut Checker<'a>,
    roots: Arena<RootId, Root>,
    /// What the variables seen so far lie in.
    vars: FxHashMap<VarId, Aliases>,
    globals: FxHashMap<VarId, RootId>,
    consumed: FxHashMap<RootId, Consumption>,
    /// The consumed roots in the order of consumption.
    trail: Vec<RootId>,
    /// The functions and loops around the current place.
    frames: Vec<Frame>,
    /// The consumptions of which a misuse was reported: one message for each is enough.
    reported: Vec<Span>,
}

/// Memory, and who owns it.
struct Root {
    kind: RootKind,
    /// What to call it in messages.
    name: String,
    /// Where it comes into being.
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RootKind {
    /// A variable of the function, which it may consume.
    Owned,
    /// A parameter without `*`.
    Observed,
    /// A parameter that is a function.
    ObservedFunction,
    /// The parameter of a loop that is declared without `*`.
    ObservedInLoop,
    /// A parameter of a loop while the loop's condition is computed.
    InCondition,
    /// The element of the array that a loop runs over.
    Element,
    /// A definition outside the function.
    Global,
    /// The parts of a call's or loop's result, which may share memory.
    Result,
}

#[derive(Clone)]
struct Consumption {
    span: Span,
    /// The text of what was consumed.
    text: String,
    how: How,
}

#[derive(Clone)]
enum How {
    Update,
    /// As an argument of a function, with its name if it has one.
    Argument(Option<String>),
    LoopStart,
    /// By calling a function that holds it.
    Call,
}

/// A function or loop.
struct Frame {
    kind: FrameKind,
    span: Span,
    /// The roots that come before this one are outside.
    first: usize,
    /// The roots outside that the frame's body refers to, with the place of the first reference.
    captured: Roots,
    captured_at: FxHashMap<RootId, (Span, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    Definition,
    /// A local definition.
    Function,
    Lambda,
    Loop,
    /// A size in the type of a parameter.
    Size,
}

/// Where the pass was, to return to with [`Pass::rewind`].
#[derive(Clone, Copy)]
struct Mark(usize);

impl Pass<'_, '_> {
    fn new_root(&mut self, kind: RootKind, name: impl Into<String>, span: Span) -> RootId {
        self.roots.push(Root { kind, name: name.into(), span })
    }

    fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Whether anything was consumed since then.
    fn consumed_since(&self, mark: Mark) -> bool {
        self.trail.len() > mark.0
    }

    /// Takes back what was consumed since then and returns it.
    fn rewind(&mut self, mark: Mark) -> Vec<(RootId, Consumption)> {
        let taken = self.trail.split_off(mark.0.min(self.trail.len()));
        taken.into_iter().filter_map(|root| self.consumed.remove(&root).map(|c| (root, c))).collect()
    }

    fn redo(&mut self, consumed: Vec<(RootId, Consumption)>) {
        for (root, consumption) in consumed {
            self.set_consumed(root, consumption);
        }
    }

    fn set_consumed(&mut self, root: RootId, consumption: Consumption) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.consumed.entry(root) {
            entry.insert(consumption);
            self.trail.push(root);
        }
    }

    /// Runs `f` as the inside of a function or loop. What that refers to outside, the frame around it refers to as
    /// well.
    fn framed<R>(&mut self, kind: FrameKind, span: Span, f: impl FnOnce(&mut Self) -> R) -> (R, Frame) {
        let first = self.roots.len();
        let depth = self.frames.len();
        self.frames.push(Frame { kind, span, first, captured: Roots::default(), captured_at: FxHashMap::default() });
        let result = f(self);
        let frame = self.frames.swap_remove(depth);
        if let Some(outer) = self.frames.last_mut() {
            for root in frame.captured.iter().filter(|root| is_before(*root, outer.first)) {
                outer.captured.insert(root);
                if let Some(at) = frame.captured_at.get(&root) {
                    outer.captured_at.entry(root).or_insert_with(|| at.clone());
                }
            }
        }
        (result, frame)
    }

    /// Whether a root is outside the function or loop around the current place.
    fn is_outside(&self, root: RootId) -> bool {
        self.frames.last().is_some_and(|frame| is_before(root, frame.first))
    }

    /// The aliases of a variable where it is used.
    fn variable(&mut self, var: VarId, ty: &Ty, at: Span) -> Aliases {
        let aliases = match self.vars.get(&var) {
            Some(aliases) => aliases.clone(),
            None => return self.global(var, ty),
        };
        if !matches!(aliases, Aliases::Scalar) {
            self.observe(&aliases, var, at);
        }
        aliases
    }

    /// A variable from outside the definition.
    fn global(&mut self, var: VarId, ty: &Ty) -> Aliases {
        if !holds_memory(ty) {
            return Aliases::Scalar;
        }
        // A value of any size is computed anew for every size it is used at.
        let scheme = self.cx.names.vars[var].scheme.as_ref();
        if scheme.is_some_and(|s| s.params.iter().any(|p| matches!(p, SchemeParam::Size(_)))) {
            return Aliases::fresh(ty);
        }
        let root = match self.globals.get(&var) {
            Some(root) => *root,
            None => {
                let info = &self.cx.names.vars[var];
                let (name, span) = (info.name.to_string(), info.span);
                let root = self.new_root(RootKind::Global, name, span);
                self.globals.insert(var, root);
                root
            }
        };
        global_aliases(ty, &Roots::one(root))
    }

    /// A use of a variable: none of its parts may have been consumed.
    fn observe(&mut self, aliases: &Aliases, var: VarId, at: Span) {
        let name = self.cx.names.vars[var].name;
        aliases.for_each(&mut |roots| {
            for root in roots.iter() {
                if let Some(consumption) = self.consumed.get(&root) {
                    let consumption = consumption.clone();
                    self.report_use(var, at, root, &consumption);
                } else if self.roots[root].kind != RootKind::Global
                    && let Some(frame) = self.frames.last_mut()
                    && is_before(root, frame.first)
                {
                    frame.captured.insert(root);
                    frame.captured_at.entry(root).or_insert_with(|| (at, name.to_string()));
                }
            }
        });
    }

    /// A value that was computed a while ago is used now: nothing in between may have consumed it.
    fn still_there(&mut self, aliases: &Aliases, at: Span) {
        let mut dead = None;
        aliases.for_each(&mut |roots| {
            if dead.is_none() {
                dead = roots.iter().find(|root| self.consumed.contains_key(root));
            }
        });
        if let Some(root) = dead
            && let Some(consumption) = self.consumed.get(&root).cloned()
        {
            self.report_gone(at, root, &consumption);
        }
    }

    /// Consumes a value, if that is allowed.
    fn consume(&mut self, aliases: &Aliases, at: Span, how: &How) {
        let mut roots = aliases.roots();
        roots.retain(|root| !self.consumed.contains_key(&root));
        // One message: about what the user can see best, which is what was bound last.
        let bad = roots.iter().rev().find(|root| !self.is_consumable(*root));
        if let Some(bad) = bad {
            self.report_not_consumable(bad, at, how);
            return;
        }
        let text = self.cx.text(at);
        for root in roots.iter() {
            self.set_consumed(root, Consumption { span: at, text: text.clone(), how: how.clone() });
        }
    }

    fn is_consumable(&self, root: RootId) -> bool {
        match self.roots[root].kind {
            RootKind::Owned | RootKind::Result => !self.is_outside(root),
            RootKind::Observed
            | RootKind::ObservedFunction
            | RootKind::ObservedInLoop
            | RootKind::InCondition
            | RootKind::Element
            | RootKind::Global => false,
        }
    }
}

impl Pass<'_, '_> {
    /// Whether memory is that of a parameter without `*` or of a definition.
    fn belongs_to_others(&self, root: RootId) -> bool {
        matches!(self.roots[root].kind, RootKind::Observed | RootKind::Global)
    }
}

fn is_before(root: RootId, first: usize) -> bool {
    kenaz_base::Id::index(root) < first
}

/// The aliases of a definition. Functions refer to nothing that could be consumed; the language does not keep track of
/// definitions of abstract type.
fn global_aliases(ty: &Ty, roots: &Roots) -> Aliases {
    with_stack(|| match ty.kind() {
        TyKind::Array(..) | TyKind::Sum(_) => Aliases::of(ty, roots),
        TyKind::Record(fields) if holds_memory(ty) => {
            Aliases::Record(fields.iter().map(|(name, t)| (*name, global_aliases(t, roots))).collect())
        }
        _ => Aliases::fresh(ty),
    })
}
