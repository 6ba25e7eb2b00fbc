//! How each `par` becomes loops: passes of the memory stage that set the pieces of its plan ([`kenaz_ir::plan`]).
//!
//! Only places say which elements are neighbours, so that this comes after `place`; and when the passes are done, `imp`
//! has nothing left to decide. Each pass looks at every `par` of a program, those around others first ([`walk`]), and
//! sets one kind of piece where that pays: it asks for fuel first, and where a `par` nearly has the right shape it says
//! in the log why it stays as it is. [`access`] has what they want to know about loads and stores.
//!
//! The passes run in the order in which pieces stand around each other, so that one can see what those before it made.
//!
//! # How loops are made
//!
//! Every `par` of the memory stage carries a plan of how it becomes loops (`ir::plan`), which means nothing:
//! interpreters ignore it, and the checker accepts only plans with which the `par` computes the same. The passes of
//! `plan` set its pieces one by one, each with fuel and a logged reason where it declines; `imp` writes out what the
//! plan says and decides nothing. The design document plans in `schedule`, but what a tile must copy depends on
//! strides, which only places have. What names stand for, where arrays are and which polynomials are equal is known to
//! passes and to lowering alike (`ir::scope`).
//!
//! | pass | piece | what it does |
//! |---|---|---|
//! | `chunks` | `chunks` | a `par` at a level that the target runs is split along its first dimension |
//! | `collapse` | | a map whose iterations are maps is one `par` where its loops should change places |
//! | `tile` | `tile` | reductions inside two maps whose operands depend on the row or on the column, but not on both, run in tiles of 8 or 4 rows and 32 columns that stay in registers, from packed copies of what the columns need |
//! | `strips` | `strips` | reductions inside a `par`, where another index than theirs goes along neighbours, run for a strip of iterations at once; sums and what else goes from one loop to the next are kept on the stack |
//! | `order-loops` | `order`, `squares`, `split` | the innermost loop goes along neighbours; where some accesses go along one dimension and some along another, the nest goes over squares of both, as plain copies do in rts/copy.h |
//! | `guard` | `guard` | whether a row is there that all iterations combine values with is tested once |
//! | `cuts` | `cuts` | a map whose iterations compare their index with something, as at the edges of a stencil or in a `rotate`, runs in parts that need not |
//! | `lanes` | `lanes` | other reductions whose operator commutes have 32 accumulators, then 8, then one |
//! | `stream` | `stream` | large results of chunks are written past the caches |
//!
//! Only lanes change the order of operands. All of this is for loop nests in general: a matrix product is one of them.
//!
//! The least or greatest number so far is never NaN if it begins as a number, so that accumulating one takes a
//! comparison less than `min` and `max` do (`accumulated`).

mod access;
pub mod chunks;
pub mod collapse;
pub mod cuts;
pub mod guard;
pub mod lanes;
pub mod order;
pub mod stream;
pub mod strips;
pub mod tile;
mod walk;
mod work;

use kenaz_ir::{Log, Pass, PassCx, Prog, Target};

/// The passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    chunks::PASS,
    collapse::PASS,
    tile::PASS,
    strips::PASS,
    order::PASS,
    guard::PASS,
    cuts::PASS,
    lanes::PASS,
    stream::PASS,
];

/// All passes, one after the other, for a target.
pub fn plan(prog: &mut Prog, target: &'static Target) {
    let mut cx = PassCx::new(target, Log::new());
    for pass in PASSES {
        (pass.run)(prog, &mut cx);
    }
}
