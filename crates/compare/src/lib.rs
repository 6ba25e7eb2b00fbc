//! Do programs mean the same after every pass of the optimiser? Random programs, and those of tests/run.
//!
//! [`driver::compare`](kenaz_driver::compare) answers that for one program of the IR; here are the programs, the counts
//! of rules that were used on the way, and the reports about what differs.

mod campaign;
mod file;
mod native;
mod random;
mod report;
mod totals;

pub use campaign::{Campaign, Results};
pub use file::Compared;
pub use native::{Backend, Expected};
pub use random::{Call, Case, Outcome, Ran, case, compare, program, shrink, size};
pub use report::{Finding, Reporter};
pub use totals::{ENOUGH, Totals};

use kenaz_driver::Pipeline;
use kenaz_driver::compare::{Discrepancy, Input};
use kenaz_ir::Prog;

/// What a pass did wrong, with all that is needed to find out how.
#[derive(Debug)]
pub struct Difference {
    pub prog: Prog,
    pub discrepancy: Discrepancy,
    /// Not there if no run was needed to see it.
    pub input: Option<Input>,
}

impl Difference {
    /// The name of the pass after which it is there.
    pub fn pass(&self, pipeline: &Pipeline) -> &'static str {
        self.discrepancy.passes.checked_sub(1).map_or("none", |last| pipeline.passes[last].name)
    }
}
