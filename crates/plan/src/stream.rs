//! Sets `stream`: results of chunks that are larger than the caches are written past them.
//!
//! ```text
//! let b_1 = par core (i_2 < n_3)                        let b_1 = par core (i_2 < n_3)
//!   plan [chunks 3] own { … }                       →     plan [chunks 3, stream 512 from 4] own { … }
//! ```
//!
//! A store to memory that is not in a cache reads the line first and throws out another one; whole lines can be written
//! without. This is for loops over neighbours in the result of a `par` that runs in chunks: the loop of a chunk itself,
//! or one inside it that makes a row of the result where it should be. Whether results are large is known when the
//! program runs. Loops with much to do do not wait for memory, and those that do more than to compute scalars stay as
//! they are. Cost: linear in the program.

use crate::walk::{At, each_par};
use kenaz_ir::plan::{Piece, Stream};
use kenaz_ir::visit::for_each_body;
use kenaz_ir::{DecisionKind, Exp, Form, Name, Par, Param, Pass, PassCx, Prog, Stm};

pub const PASS: Pass =
    Pass { name: "stream", about: "writes large results of chunks past the caches", stage: None, run: stream };

/// The names of its rules.
pub const RULES: &[&str] = &["stream"];

/// How many lines are written at once; fewer than so many times that stay as they are.
const LINES: u64 = 8;
const FEWEST: u64 = 4;

/// Bodies with more statements than this have more to do than to wait for memory.
const MOST_STATEMENTS: usize = 32;

fn stream(prog: &mut Prog, cx: &mut PassCx) {
    each_par(prog, cx, &|par| par.plan.chunks().is_some(), |at, pat, par| {
        let Some(block) = row(at, pat, par) else { return };
        let is_own = par.plan.chunks().is_some() && makes_parts(par);
        if !is_own && !at.chunked.contains(&block) {
            return;
        }
        if !is_simple(par) {
            at.log.decide(DecisionKind::NotStreamed, at.loc, "an iteration does more than to compute a few scalars");
        } else {
            let stream = Stream { bytes: LINES * at.target.line_bytes, fewest: FEWEST };
            at.set(par, "stream", Piece::Stream(stream), "its neighbours are made one after the other");
        }
    });
}

/// Whether the results of the chunks of a `par` are parts of arrays that nobody else writes to.
pub fn makes_parts(par: &Par) -> bool {
    par.ops.is_empty() && par.forms.iter().all(|form| matches!(form, Form::Own | Form::Tile(_)))
}

/// The block in which a `par` makes neighbours one after the other, in one loop and nothing else.
fn row(at: &At, pat: &[Param], par: &Par) -> Option<Name> {
    let ([result], [Form::Own], [_], [], None) = (pat, &par.forms[..], &par.space[..], &par.ops[..], &par.post) else {
        return None;
    };
    let array = at.scope.array(result.name)?;
    let stride = array.place.layout.dims[0].stride()?;
    let is_row = array.sizes.len() == 1 && stride.as_constant() == Some(1);
    let is_one_loop = par.plan.strips().is_none() && (par.plan.split(0).is_none() || at.is_part(par));
    (is_row && is_one_loop).then_some(array.place.block)
}

fn is_simple(par: &Par) -> bool {
    let is_simple = |stm: &Stm| {
        let mut is_simple = !matches!(stm.exp, Exp::Call(..) | Exp::Mem(_) | Exp::Trace(..));
        for_each_body(&stm.exp, |_| is_simple = false);
        let makes_array = stm.pat.iter().any(|param| param.ty.is_array());
        is_simple && (!makes_array || stm.exp.is_view())
    };
    par.body.stms.len() <= MOST_STATEMENTS && par.body.stms.iter().all(is_simple)
}
