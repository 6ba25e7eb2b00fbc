//! The simplifier: small named rules, applied until none applies.
//!
//! A walk goes through a function from top to bottom with a list of statements still to do (`engine`). Each statement
//! gets the operands that have become known and is given to the rules for its kind of expression (`book`); what a rule
//! puts in its place goes back onto the list, so rules apply to each other's results at once. Bodies are entered when
//! no rule applies to the statement around them any more, and after them the rules are asked about that statement once
//! more. A statement that repeats an earlier one is replaced by it (`same`). After each walk, dead code is removed
//! (`dead`), and scans whose last element is all that is used become reductions (`last`).
//!
//! Before all that, arguments that are the same constant in all calls go into the functions (`arguments`).
//!
//! Later statements see the effect of most rules in the same walk. A function is walked again only after rules that may
//! let others apply to statements before them.
//!
//! Rules read what is known at a statement from the [`Cx`]: definitions, types, facts about sizes, and which arrays are
//! fixed. A rule never looks at later statements; only `dead` and `last` do.

mod arguments;
mod array;
mod book;
mod check;
mod control;
mod dead;
mod engine;
mod last;
mod neutral;
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

/// The most walks over a function; one that still changes after them is left as it is.
const MOST_WALKS: usize = 8;

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    arguments::settle(prog, log);
    let signatures = Signatures::of(prog);
    let (mut effects, mut traces) = (FxHashSet::default(), FxHashSet::default());
    for i in 0..prog.funs.len() {
        let mut fun = std::mem::replace(&mut prog.funs[i], empty());
        let walks = if log.is_settled(PASS.name, &fun) { 0 } else { MOST_WALKS };
        for _ in 0..walks {
            let before = log.used();
            let sharing = Sharing::of(&fun, &signatures);
            let mut again = engine::walk(&mut fun, prog, log, sharing, &traces);
            dead::remove(&mut fun, &effects, log);
            again |= last::reduce(&mut fun, &mut prog.fresh, log);
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
