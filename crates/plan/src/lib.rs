//! How each `par` becomes loops: passes of the memory stage that set the pieces of its plan ([`kenaz_ir::plan`]).
//!
//! Only places say which elements are neighbours, so that this comes after `place`; and when the passes are done, `imp`
//! has nothing left to decide. Each pass looks at every `par` of a program, those around others first ([`walk`]), and
//! sets one kind of piece where that pays: it asks for fuel first, and where a `par` nearly has the right shape it says
//! in the log why it stays as it is. [`access`] has what they want to know about loads and stores.
//!
//! The passes run in the order in which pieces stand around each other, so that one can see what those before it made.

mod access;
pub mod chunks;
pub mod collapse;
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
pub const PASSES: &[Pass] =
    &[chunks::PASS, collapse::PASS, tile::PASS, strips::PASS, order::PASS, guard::PASS, lanes::PASS, stream::PASS];

/// All passes, one after the other, for a target.
pub fn plan(prog: &mut Prog, target: &'static Target) {
    let mut cx = PassCx::new(target, Log::new());
    for pass in PASSES {
        (pass.run)(prog, &mut cx);
    }
}
