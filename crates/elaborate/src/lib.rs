//! Typed programs to the array stage of the IR.
//!
//! Three steps, each with its own module: [`translate`] goes from the syntax tree to the [`core`], expanding modules
//! ([`resolve`]) and making everything monomorphic; [`defunctionalise`] removes functions as values; [`lower`] takes
//! records, sums and arrays of them apart and makes sizes and checks explicit.

pub mod core;
pub mod defunctionalise;
mod free;
pub mod lower;
pub mod resolve;
pub mod translate;

use kenaz_base::{Diagnostic, Span, in_pass};
use kenaz_ir::Prog;
use kenaz_sema::Checked;

/// The program of a checked file's entry points.
pub fn elaborate(checked: &Checked) -> Result<Prog, Box<Diagnostic>> {
    let place = Span::new(checked.main, 0, 0);
    let core = in_pass("translate", || {
        let mut translate = translate::Translate::new(checked);
        translate.entry_points().map(|()| translate.prog)
    })?;
    let first_order = in_pass("defunctionalise", || defunctionalise::defunctionalise(&core, place))?;
    in_pass("lower", || lower::lower(&first_order, place))
}
