//! What the optimiser has found out that the user should know.

use kenaz_base::{Code, Diagnostic, Span};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{CheckKind, Exp, LocId, Log, MessagePart, Operand, Prog, Scalar, Stm};
use std::collections::BTreeSet;

/// What to tell the user about a program after the passes that wrote this log.
pub fn warnings(prog: &Prog, log: &Log) -> Vec<Diagnostic> {
    let warning = |failing: &Failing| {
        // A hole says what it is.
        let place = prog.locs.span(failing.loc)?;
        let warning = Diagnostic::warning(Code::CheckAlwaysFails, place, "a check that is made here never passes");
        Some(warning.label(failing.message.trim_end_matches('.')))
    };
    let failing = always_failing(prog);
    let failing = failing.iter().filter(|failing| failing.kind != CheckKind::Hole).filter_map(warning);
    failing.chain(refused_attributes(prog, log)).collect()
}

/// The attributes that were not obeyed, each once, however often what it stands on was inlined.
fn refused_attributes(prog: &Prog, log: &Log) -> Vec<Diagnostic> {
    let refused = log.decisions().iter().filter(|decision| decision.kind == kenaz_ir::DecisionKind::AttributeRefused);
    let told: BTreeSet<(Span, &str)> =
        refused.filter_map(|decision| Some((prog.locs.span(decision.loc)?, decision.reason.as_str()))).collect();
    let warning = |(place, reason): (Span, &str)| {
        Diagnostic::warning(Code::AttributeRefused, place, "an attribute that stands here is not obeyed").label(reason)
    };
    told.into_iter().map(warning).collect()
}

/// A check that never passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    pub loc: LocId,
    pub kind: CheckKind,
    /// What it says when it fails, with `…` for what is not known yet.
    pub message: String,
}

/// The checks of an optimised program that never pass and that the program comes to unless it stops before: those that
/// stand in a branch are left out, since whoever wrote the branch may know that it is never taken.
pub fn always_failing(prog: &Prog) -> Vec<Failing> {
    let mut find = Find(Vec::new());
    for fun in &prog.funs {
        find.body(&fun.body);
    }
    find.0
}

struct Find(Vec<Failing>);

impl Visit for Find {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::If(..) | Exp::Match(..) => {}
            Exp::Assert(Operand::Const(Scalar::Bool(false)), message) => {
                let text = |part: &MessagePart| match part {
                    MessagePart::Text(text) => text.clone(),
                    MessagePart::Value(Operand::Const(c)) => {
                        let name = c.prim().name();
                        let text = c.to_string();
                        text.strip_suffix(name).unwrap_or(&text).to_string()
                    }
                    MessagePart::Value(Operand::Var(_)) => "…".to_string(),
                };
                let found =
                    Failing { loc: stm.loc, kind: message.kind, message: message.parts.iter().map(text).collect() };
                if !self.0.contains(&found) {
                    self.0.push(found);
                }
            }
            _ => walk::stm(self, stm),
        }
    }
}
