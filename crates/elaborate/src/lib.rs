//! Typed programs to the array stage of the IR.
//!
//! Three steps, each with its own module: [`translate`] goes from the syntax tree to the [`core`], expanding modules
//! ([`resolve`]) and making everything monomorphic; [`defunctionalise`] removes functions as values; [`lower`] takes
//! records, sums and arrays of them apart and makes sizes and checks explicit.
//!
//! # How elaboration works
//!
//! 1. `translate`: the syntax tree to the *core*, a small monomorphic higher-order language. Each definition is
//!    translated once for every combination of type arguments and modules it is used with. Sizes become ordinary
//!    arguments: one for every size parameter and for every size inside a type argument.
//! 2. `defunctionalise`: functions become records of what they capture; applications call functions made for the static
//!    values involved and shared between equal ones. Functions given to second-order intrinsics keep their bodies.
//!    `#[dispatch]` in front of an `if` or `match` allows functions as its result, compiled to a tag and payloads.
//! 3. `lower`: records, sums and arrays of them become scalars and arrays; sizes, checks and copies become explicit. A
//!    check that is evident is not made. Constants are computed once per entry point and handed down.
//!
//! Entry points keep a description of their types as the outside sees them (`ir::entry`): names, fields, variants, and
//! which parameters and results of the function belong to what. `ir::entry::signature` says how a call from outside
//! becomes one of the function: where sizes come from, and which dimensions must agree. The interpreter and code
//! generators follow it.
//!
//! What differs from the design document: sizes that the type checker knows are passed explicitly rather than sliced
//! out of bodies at this point (size slicing is an optimisation on the IR), and the array stage has `resize` with a
//! certificate where two sizes are equal by typing but not the same operand.

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
