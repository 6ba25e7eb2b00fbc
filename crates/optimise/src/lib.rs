//! From the array stage to the array stage: what makes programs fast while they are still functional.
//!
//! Each module is a pass, or several that belong together, and opens with what it does to a program. A pass asks
//! [`Log::fire`](kenaz_ir::Log::fire) before each rewrite. Which passes run in which order is said in the crate
//! `driver`.
//!
//! # How the optimiser works
//!
//! A pass is a function from a program to a program (`ir::pass`); `driver::pipelines` lists their order in one place.
//! Before each rewrite a pass asks the log for fuel, by the name of the rule: so rewrites can be counted, a pipeline
//! can be stopped after any number of them (`--fuel`), and `kenaz bisect` finds the first one that makes a program
//! wrong. Decisions that people may ask about, such as a fusion that was refused, go into the log with their place and
//! reason (`--decisions`); their kinds are listed in docs/decisions.md, made from `ir::decision`.
//!
//! | pass | what it does |
//! |---|---|
//! | `inline` | small functions and those called once go into their callers; others stay functions, so code does not explode |
//! | `simplify` | a rule book of small rewrites, run from top to bottom with what is known at each statement; common subexpressions; dead code |
//! | `differentiate` | `jvp` and `vjp` are written out |
//! | `branches` | a branch on what an earlier branch chose is decided there |
//! | `blanks` | scalars that nobody looks at get the value that costs least |
//! | `unroll` | loops that are marked `#[unroll]` are written out |
//! | `slice` | sizes and checks are computed apart from values: shape functions, sizes of branches and loops, checks in front of operators and calls |
//! | `hoist` | invariant code and checks leave loops and lambdas, also under a condition, and checks of an index for all of them at once; code that one branch needs goes there |
//! | `sums` | accumulators whose updates go along the iterations of maps become maps and reductions |
//! | `fuse` | operators become one: producers into consumers, neighbours side by side, across views |
//! | `in-place` | copies of arrays that nobody needs any more go away; loops and functions update their parameters |
//!
//! # Why rewrites are safe
//!
//! `ir::effects` is one table of what each operator does besides computing its results: where
//! these may lie, what is consumed, whether it can fail, print or cost much, and hence whether it may be dropped,
//! repeated, moved or evaluated early. The checker, `ir::alias`, `ir::sharing`, `ir::unique`,
//! `optimise`, `schedule` and `place` ask it, so that a new operator is a row there and a test fails without it.
//!
//! `ir::sharing` says, for a function as a whole, which arrays may share memory with one that is consumed somewhere;
//! all others are mathematical values, to be moved and merged at will. `ir::alias` says the same with regard to the
//! place, for `in-place`. `ir::facts` answers questions about sizes and indices. A check is removed only when it is
//! proved; a check that is moved passes when what it was for does not run. An operation that may go wrong (an index, a
//! division) and has lost its certificate, because its check was proved where it stands, does not leave the body it is
//! in. A program that fails still fails, though perhaps with the message of another check that fails too.
//!
//! # Differences from the design document
//!
//! The fused operator has a last function after its scans, so that a map after a scan is part of it, and `filter` may
//! yield values other than the rows it looks at. Checks on which nothing relies stay, although the language allows
//! dropping them: a program that fails must go on failing, or no test could tell a lost check.

pub mod blanks;
pub mod branches;
pub mod concats;
pub mod differentiate;
pub mod fuse;
pub mod hoist;
pub mod in_place;
pub mod inline;
pub mod simplify;
pub mod slice;
pub mod sums;
pub mod unroll;
pub mod windows;

use kenaz_ir::Pass;

/// All passes, in alphabetical order.
pub const PASSES: &[Pass] = &[
    blanks::PASS,
    branches::PASS,
    concats::PASS,
    differentiate::PASS,
    fuse::PASS,
    hoist::PASS,
    in_place::PASS,
    inline::PASS,
    simplify::PASS,
    slice::PASS,
    sums::PASS,
    unroll::PASS,
    windows::PASS,
];

/// The names of the rules of all passes.
pub fn rules() -> Vec<&'static str> {
    let book = simplify::RULES.iter().copied().flatten().map(|rule| rule.name);
    let lists = [
        blanks::RULES,
        branches::RULES,
        concats::RULES,
        inline::RULES,
        simplify::OTHERS,
        hoist::RULES,
        slice::RULES,
        sums::RULES,
        unroll::RULES,
        windows::RULES,
        fuse::RULES,
        in_place::RULES,
    ];
    book.chain(lists.into_iter().flatten().copied()).collect()
}
