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

use kenaz_base::{Code, Diagnostic, Span, in_pass};
use kenaz_ir::Prog;
use kenaz_sema::Checked;

/// The program of a checked file's entry points.
///
/// In debug builds the result of each step is checked; a program that breaks a rule is a `bug` of the step.
pub fn elaborate(checked: &Checked) -> Result<Prog, Box<Diagnostic>> {
    let place = Span::new(checked.main, 0, 0);
    let core = in_pass("translate", || {
        let mut translate = translate::Translate::new(checked);
        translate.entry_points().map(|()| translate.prog)
    })?;
    if cfg!(debug_assertions) {
        core::check::check(&core).map_err(|error| broken("translate", &error, place))?;
    }
    let first_order = in_pass("defunctionalise", || defunctionalise::defunctionalise(&core, place))?;
    if cfg!(debug_assertions) {
        core::check::check_first_order(&first_order).map_err(|error| broken("defunctionalise", &error, place))?;
    }
    in_pass("lower", || lower::lower(&first_order, place))
}

/// A step whose result breaks a rule of the core.
fn broken(pass: &str, error: &core::check::CoreError, place: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(Code::Bug, place, format!("{pass}: {error}"))
            .label("in this program")
            .hint("this is a fault of the compiler; please report it with the program"),
    )
}
