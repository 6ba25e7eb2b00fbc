//! Sets `chunks`: a `par` at a level that the target runs is split among those who run it.
//!
//! ```text
//! let b_1 = par core (i_2 < n_3) own { … }    →    let b_1 = par core (i_2 < n_3) plan [chunks 4] own { … }
//! ```
//!
//! A chunk is the same `par` over a part of its first dimension, so that whatever is planned for loops in sequence
//! holds for those of chunks as well. What iterations cost ([`work`]) says how many chunks there should be when the
//! program runs. Inside chunks everything runs in sequence. Only where there are fewer iterations than threads it pays
//! to run the iterations one after the other, each with chunks of its own: `inside`.
//!
//! A result must have parts along the first dimension; what a scan adds up is computed twice, so that its body may not
//! write; and what is printed has an order. A `par` for which this does not hold runs in sequence, and the log says
//! why. Cost: linear in the program, times the depth of its nests.

use crate::walk::{At, each_par};
use crate::work;
use kenaz_base::Code;
use kenaz_ir::plan::{Chunks, Piece, has_par, is_repeatable, traces};
use kenaz_ir::scope::Atom;
use kenaz_ir::{Attr, DecisionKind, Exp, Form, Level, MemExp, Operand, Par, Param, Pass, PassCx, Prog, Space, effects};

pub const PASS: Pass =
    Pass { name: "chunks", about: "splits iterations among those who run their level", stage: None, run: chunks };

/// The names of its rules.
pub const RULES: &[&str] = &["chunks"];

fn chunks(prog: &mut Prog, cx: &mut PassCx) {
    let target = cx.target;
    let is_candidate = |par: &Par| par.level.is_some_and(|level| target.runs(level));
    each_par(prog, cx, &is_candidate, |at, pat, par| {
        let is_single = matches!(par.space[0].1, Operand::Const(n) if n.as_i64().is_some_and(|n| n < 2));
        if !at.runs_apart(par) {
            return;
        }
        let level = at.attrs.find(Attr::is_level);
        if let Some(attr) = level.filter(|_| at.only_in_sequence && matches!(par.level, Some(Level::Core))) {
            at.refuse(Code::LevelRefused, attr, "all cores are busy with the reduction or scan around it");
        }
        if let Some(attr) = level.filter(|_| needs_host(at, par)) {
            at.refuse(Code::LevelRefused, attr, "an iteration needs memory of a size that is known only inside of it");
        }
        if at.only_in_sequence || is_single {
            return;
        }
        match refused(at, pat, par) {
            Some(reason) => {
                at.log.decide(DecisionKind::NotInChunks, at.loc, reason);
                if let Some(attr) = level {
                    at.refuse(Code::LevelRefused, attr, reason);
                }
            }
            None => {
                let cost = work::of(par, &|x| at.scope.scalar(x).and_then(Atom::as_poly));
                let inside = par.ops.is_empty() && has_par(&par.body, &|inner| at.runs_apart(inner));
                let chunks = Chunks { work: cost.per_iteration, uneven: cost.uneven, inside };
                let reason = format!("an iteration costs about {} operations", chunks.work);
                at.set(par, "chunks", Piece::Chunks(chunks), reason);
            }
        }
    });
}

/// Whether iterations on a device do what only the host can.
fn needs_host(at: &At, par: &Par) -> bool {
    at.target.host_space == Space::Device
        && effects::any(&par.body, |stm| match &stm.exp {
            // Small blocks are on the stack of a thread.
            Exp::Mem(MemExp::Alloc(Space::Device | Space::Host, Operand::Const(bytes))) => {
                bytes.as_i64().is_none_or(|bytes| bytes > at.target.stack_bytes.cast_signed())
            }
            Exp::Mem(MemExp::Alloc(Space::Device | Space::Host, _)) | Exp::Trace(..) => true,
            _ => false,
        })
}

/// Why a `par` cannot run in chunks.
fn refused(at: &At, pat: &[Param], par: &Par) -> Option<&'static str> {
    let has_acc = par.forms.iter().any(|form| matches!(form, Form::Acc { .. }));
    if has_acc && !par.ops.is_empty() {
        return Some("it has reductions and destinations to combine");
    }
    if !has_parts(at, pat, par) {
        return Some("a result has no parts along the first dimension");
    }
    if par.scans().next().is_some() && !is_repeatable(&par.body) {
        return Some("what a scan adds up would be computed twice, and that writes to arrays");
    }
    let prints = traces(&par.body) || par.post.as_ref().is_some_and(|post| traces(&post.body));
    prints.then_some("something is printed, which has an order")
}

/// Whether every result that is made of parts can be split along the first dimension.
fn has_parts(at: &At, pat: &[Param], par: &Par) -> bool {
    let mut results = &pat[par.reduced()..];
    par.forms.iter().all(|form| {
        let (these, rest) = results.split_at(form.results());
        results = rest;
        match form {
            Form::Own | Form::Tile(_) => these.iter().all(|param| {
                let first = at.scope.array(param.name).and_then(|array| array.place.layout.dims.first());
                first.is_some_and(|dim| dim.stride().is_some())
            }),
            Form::Write { .. } | Form::Acc { .. } => true,
        }
    })
}
