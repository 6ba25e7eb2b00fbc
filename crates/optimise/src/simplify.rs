//! The simplifier: small named rules, applied until none applies.
//!
//! A walk goes through a function from top to bottom with a list of statements still to do (`engine`). Each statement
//! gets the operands that have become known and is given to the rules for its kind of expression (`book`); what a rule
//! puts in its place goes back onto the list, so rules apply to each other's results at once. Bodies are entered when
//! the rules for the statement around them have had their say, and the statement is asked again behind them. What
//! repeats an earlier statement is replaced by it (`same`). After each walk, what nobody needs is removed (`dead`).
//!
//! What most rules do is seen by all that comes behind, in the same walk. A function is walked again only after rules
//! that may let others apply before the place where they did.
//!
//! Rules read what is known at a statement from the [`Cx`]: definitions, types, facts about sizes, and which arrays are
//! fixed. A rule never looks at later statements; only `dead` does.

mod array;
mod book;
mod check;
mod control;
mod dead;
mod engine;
mod same;
mod scalar;
mod soac;
mod view;

pub use book::{OTHERS, RULES};
pub use engine::Cx;

use kenaz_base::Symbol;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::{Fun, Pass, PassCx, Prog};
use rustc_hash::FxHashSet;

pub const PASS: Pass = Pass { name: "simplify", about: "applies small rules until none applies", stage: None, run };

/// A function that still changes after so many walks is left as it is.
const MOST_WALKS: usize = 8;

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    let signatures = Signatures::of(prog);
    let (mut effects, mut traces) = (FxHashSet::default(), FxHashSet::default());
    for i in 0..prog.funs.len() {
        let mut fun = std::mem::replace(&mut prog.funs[i], empty());
        let walks = if log.is_settled(PASS.name, &fun) { 0 } else { MOST_WALKS };
        for _ in 0..walks {
            let before = log.used();
            let sharing = Sharing::of(&fun, &signatures);
            let again = engine::walk(&mut fun, prog, log, sharing, &traces);
            dead::remove(&mut fun, &effects, log);
            if log.used() == before {
                log.settle(PASS.name, &fun);
            }
            if !again {
                break;
            }
        }
        if dead::has_effects(&fun.body, &effects) {
            effects.insert(fun.name);
        }
        if same::is_tracing(&fun.body, &traces) {
            traces.insert(fun.name);
        }
        prog.funs[i] = fun;
    }
}

/// Stands in for a function while it is being changed.
fn empty() -> Fun {
    Fun {
        name: Symbol::intern(""),
        entry: None,
        params: Vec::new(),
        results: Vec::new(),
        body: kenaz_ir::Body::default(),
        attrs: kenaz_ir::Attrs::default(),
        loc: kenaz_ir::Locs::NOWHERE(),
    }
}
