//! Derivatives, which are written out before anything else happens to a program: no stage and no interpreter knows what
//! to do with them.

use crate::pipeline::{self, Options, Pipeline};
use crate::pipelines;
use kenaz_base::{Code, Diagnostic};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{DecisionKind, Exp, LocId, Prog, Stm, Target};
use kenaz_optimise::differentiate::has_derivatives;

/// Writes out the derivatives of a program, or says what has none.
pub(crate) fn expand(prog: &mut Prog, target: &'static Target) -> Result<(), Box<Diagnostic>> {
    if !has_derivatives(prog) {
        return Ok(());
    }
    let pipeline = Pipeline::new(target, &[pipelines::DERIVATIVES]);
    let ran = pipeline::run(prog, &pipeline, Options { fuel: None, check: cfg!(debug_assertions) }, |_, _| {});
    let report = ran.unwrap_or_else(|broken| panic!("{broken}"));
    let mut left = Left(None);
    prog.funs.iter().for_each(|fun| left.fun(fun));
    let Some(loc) = left.0 else { return Ok(()) };
    let mut reasons = report.log.decisions().iter().filter(|d| d.kind == DecisionKind::DerivativeStays);
    let reason = reasons.next().map_or("it cannot be written out", |d| &d.reason);
    let Some(span) = prog.locs.span(loc) else {
        return Err(Box::new(Diagnostic::error(Code::Limitation, nowhere(), format!("no derivative: {reason}"))));
    };
    Err(Box::new(
        Diagnostic::error(Code::Limitation, span, format!("no derivative of {reason}")).label("not supported yet"),
    ))
}

fn nowhere() -> kenaz_base::Span {
    kenaz_base::Span::new(kenaz_base::source::first_file(), 0, 0)
}

/// Where the first derivative is that is left.
struct Left(Option<LocId>);

impl Visit for Left {
    fn stm(&mut self, stm: &Stm) {
        if let Exp::Jvp(..) | Exp::Vjp(..) = stm.exp {
            self.0.get_or_insert(stm.loc);
        }
        walk::stm(self, stm);
    }
}
