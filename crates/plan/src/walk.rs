//! The way through a program from one `par` to the next.

use crate::stream::makes_parts;
use kenaz_base::{Attr, Code, Prim, Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::plan::{Piece, has_par};
use kenaz_ir::scope::Scope;
use kenaz_ir::visit::{for_each_body, for_each_body_mut};
use kenaz_ir::{
    Attrs, Body, DecisionKind, Exp, Form, Level, LocId, Log, Name, Operand, Par, Param, PassCx, Prog, Refusal, Stm,
    Target,
};
use rustc_hash::FxHashSet;

/// A place in a program where a `par` stands.
pub struct At<'a> {
    /// The names bound before the `par`, and the arrays that it makes.
    pub scope: &'a Scope,
    pub target: &'static Target,
    pub log: &'a mut Log,
    pub loc: LocId,
    /// What is said about the `par`.
    pub attrs: &'a Attrs,
    /// Whether an attribute says that it runs in sequence, so that values are combined in the order written.
    pub in_order: bool,
    /// Whether a `par` around this one runs in chunks, so that this one usually runs in sequence.
    pub in_chunk: bool,
    /// Whether this one never runs in chunks because of that.
    pub only_in_sequence: bool,
    /// The blocks of the results of those around it that run in chunks, each of which makes a part of them.
    pub chunked: &'a [Name],
}

impl At<'_> {
    /// Sets a piece of the plan of a `par`, if there is fuel for the rule, and says so and why in the log.
    pub fn set(&mut self, par: &mut Par, rule: &'static str, piece: Piece, reason: impl Into<String>) -> bool {
        let is_set = self.allows(par, &piece) && self.log.fire(rule);
        if is_set {
            self.log.decide(kind_of(&piece), self.loc, reason);
            par.plan.set(piece);
        }
        is_set
    }

    /// Whether attributes allow a piece: a pinned `par` is not cut or reordered unless that is asked for, nor is one
    /// inside of it undone.
    fn allows(&self, par: &Par, piece: &Piece) -> bool {
        let asks = |is_about: fn(Attr) -> bool| self.attrs.find(is_about).is_some();
        let is_pinned = self.attrs.is_pin();
        let around_pinned = || effects::any(&par.body, |stm| stm.attrs.is_pin());
        match piece {
            Piece::Tile(_) => asks(|attr| matches!(attr, Attr::Tile(_))) || !is_pinned && !around_pinned(),
            Piece::Strips(_) => asks(|attr| matches!(attr, Attr::Strip(_))) || !is_pinned && !around_pinned(),
            Piece::Order(_) | Piece::Squares(_) | Piece::Split(_) | Piece::Cuts(_) => !is_pinned,
            Piece::Chunks(_) | Piece::Guard | Piece::Lanes(_) | Piece::Stream(_) => true,
        }
    }

    /// Says that an attribute about the `par` is not obeyed.
    pub fn refuse(&mut self, code: Code, attr: Attr, reason: &str) {
        let message = match code {
            Code::LevelRefused => format!("this operator cannot run at `{}`", attr.wanted()),
            _ => format!("`#[{}]` cannot be obeyed here", attr.wanted()),
        };
        let hint = format!("leave the attribute out, or write `#[try({})]`", attr.wanted());
        self.log.refuse(Refusal::new(code, attr, self.loc, message).label(reason).hint(hint));
    }

    /// How many iterations there are along a dimension, if that is known. A chunk may have any number of them.
    pub fn extent(&self, par: &Par, dim: usize) -> Option<i64> {
        match par.space[dim].1 {
            _ if dim == 0 && self.is_part(par) => None,
            Operand::Const(n) => n.as_i64(),
            Operand::Var(_) => None,
        }
    }

    /// Whether the loops of a `par` are usually those of a chunk, over a part of the first dimension.
    pub fn is_part(&self, par: &Par) -> bool {
        par.plan.chunks().is_some() && !self.in_chunk
    }

    /// Whether the iterations of a `par` may run at the same time.
    pub fn runs_apart(&self, par: &Par) -> bool {
        par.level.is_some_and(|level: Level| self.target.runs(level))
    }
}

/// The decision that a piece is.
fn kind_of(piece: &Piece) -> DecisionKind {
    match piece {
        Piece::Chunks(_) => DecisionKind::InChunks,
        Piece::Tile(_) => DecisionKind::Tiled,
        Piece::Strips(_) => DecisionKind::InStrips,
        Piece::Order(_) => DecisionKind::LoopsOrdered,
        Piece::Squares(_) => DecisionKind::InSquares,
        Piece::Split(_) => DecisionKind::LoopSplit,
        Piece::Guard => DecisionKind::Guarded,
        Piece::Cuts(_) => DecisionKind::InParts,
        Piece::Lanes(_) => DecisionKind::InLanes,
        Piece::Stream(_) => DecisionKind::Streamed,
    }
}

/// Calls `f` on every `par`, with the pattern it is bound to, before those inside it. Reductions that are done in
/// strips are part of another loop, and left out; so are functions without a `par` that could be one for the pass.
pub(crate) fn each_par(
    prog: &mut Prog,
    cx: &mut PassCx,
    is_candidate: &dyn Fn(&Par) -> bool,
    f: impl FnMut(&mut At, &[Param], &mut Par),
) {
    let in_order = in_order(prog);
    let mut walk = Walk { scope: Scope::default(), cx, around: Around::default(), f };
    for fun in prog.funs.iter_mut().filter(|fun| has_par(&fun.body, is_candidate)) {
        walk.scope = Scope::default();
        walk.scope.bind_params(&fun.params);
        walk.around.in_order = in_order.contains(&fun.name);
        walk.body(&mut fun.body);
    }
}

/// The functions that are called where an attribute says that all runs in sequence. Callers stand behind callees.
fn in_order(prog: &Prog) -> FxHashSet<Symbol> {
    fn calls(body: &Body, in_order: bool, out: &mut FxHashSet<Symbol>) {
        with_stack(|| {
            for stm in &body.stms {
                let in_order = in_order || stm.attrs.has(Attr::Sequential);
                match &stm.exp {
                    Exp::Call(f, _) if in_order => drop(out.insert(*f)),
                    exp => for_each_body(exp, |body| calls(body, in_order, out)),
                }
            }
        });
    }
    let mut out = FxHashSet::default();
    for fun in prog.funs.iter().rev() {
        let all = out.contains(&fun.name);
        calls(&fun.body, all, &mut out);
    }
    out
}

/// Whether something of a kind is said in a program.
pub(crate) fn is_said(prog: &Prog, is_about: fn(Attr) -> bool) -> bool {
    prog.funs.iter().any(|fun| effects::any(&fun.body, |stm| stm.attrs.find(is_about).is_some()))
}

struct Walk<'a, F> {
    scope: Scope,
    cx: &'a mut PassCx,
    around: Around,
    f: F,
}

/// The `par`s around a place, as far as [`At`] tells about them.
#[derive(Clone, Default)]
struct Around {
    in_order: bool,
    in_chunk: bool,
    only_in_sequence: bool,
    chunked: Vec<Name>,
}

impl<F: FnMut(&mut At, &[Param], &mut Par)> Walk<'_, F> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| body.stms.iter_mut().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &mut Stm) {
        let was_in_order = self.around.in_order;
        self.around.in_order |= stm.attrs.has(Attr::Sequential);
        match &mut stm.exp {
            Exp::Par(par) => {
                self.scope.bind_arrays(&stm.pat);
                let PassCx { target, log } = &mut *self.cx;
                let Around { in_order, in_chunk, only_in_sequence, chunked } = &self.around;
                let (in_order, in_chunk, only_in_sequence) = (*in_order, *in_chunk, *only_in_sequence);
                let (scope, attrs, loc) = (&self.scope, &stm.attrs, stm.loc);
                let mut at = At { scope, target, log, loc, attrs, in_order, in_chunk, only_in_sequence, chunked };
                (self.f)(&mut at, &stm.pat, par);
                let around = self.around.clone();
                if let Some(chunks) = par.plan.chunks() {
                    self.around.in_chunk = true;
                    self.around.only_in_sequence |= !chunks.inside;
                    if makes_parts(par) {
                        let blocks = stm.pat.iter().filter_map(|param| self.scope.array(param.name));
                        self.around.chunked.extend(blocks.map(|array| array.place.block));
                    }
                }
                self.inside(par);
                self.around = around;
            }
            Exp::Loop { params, form, body } => {
                self.scope.enter_loop(params, form);
                self.body(body);
            }
            exp => for_each_body_mut(exp, |body| self.body(body)),
        }
        self.around.in_order = was_in_order;
        self.scope.stm(stm);
    }

    fn inside(&mut self, par: &mut Par) {
        for op in &mut par.ops {
            self.scope.bind_params(&op.lambda.params);
            self.body(&mut op.lambda.body);
        }
        for form in &mut par.forms {
            if let Form::Acc { op, .. } = form {
                self.scope.bind_params(&op.params);
                self.body(&mut op.body);
            }
        }
        for (i, _) in &par.space {
            self.scope.variable(*i, Prim::I64);
        }
        let in_strips = par.plan.strips().map_or(0, |strips| strips.stms);
        for (at, stm) in par.body.stms.iter_mut().enumerate() {
            match stm.exp {
                Exp::Par(_) if at < in_strips => self.scope.stm(stm),
                _ => self.stm(stm),
            }
        }
        if let Some(post) = &mut par.post {
            self.scope.bind_params(&post.params);
            self.body(&mut post.body);
        }
    }
}
