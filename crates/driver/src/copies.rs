//! What `--warn copies` says: the copies and allocations that a compiled program makes again and again.
//!
//! [`find`] walks through the memory stage after all passes, so that it sees what is really left: what was built in
//! place, hoisted out of its loop or given a slot is not there any more. Lowering can still take allocations out of the
//! loop of a chunk or put them on the stack; [`left`] asks it. Each finding is joined by its name to the reason that
//! `place` or `double-buffer` has logged ([`kenaz_ir::Log::placement`]); why an allocation has not left its loop
//! follows from the program itself ([`stays`]). [`tell`] makes warnings of them, with the advice of [`reason`].
//!
//! What copies or allocates no more than a small constant is left out, and so is what is neither in a loop nor in a
//! function that is called in one.

mod find;
mod left;
mod reason;
mod source;
mod stays;
mod tell;

use crate::Compilation;
use kenaz_base::Diagnostic;

impl Compilation {
    /// The copies and allocations in loops, one warning for each place of the source, sorted by position. There are
    /// none before the memory stage, when it is not known yet.
    pub fn copies(&self) -> Vec<Diagnostic> {
        if !self.pipeline.settles_owners() {
            return Vec::new();
        }
        let left = left::Left::of(&self.lower());
        let found = find::find(&self.prog, &self.report.log, self.pipeline.target, &left);
        tell::warnings(self, &found)
    }
}
