//! What the optimiser has found out that the user should know.

use kenaz_base::{Code, Diagnostic, Severity};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{CheckKind, Exp, LocId, Log, MessagePart, Operand, Prog, Refusal, Scalar, Stm};

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
    let refusals: Vec<Refusal> = log.refusals().iter().cloned().collect();
    failing.chain(refused(prog, &refusals)).collect()
}

/// The attributes that were not obeyed, each once, however often what it stands on was inlined.
pub fn refused(prog: &Prog, refusals: &[Refusal]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = refusals.iter().filter_map(|refusal| diagnostic(prog, refusal)).collect();
    told.sort_by(|a, b| (a.primary.span, &a.message).cmp(&(b.primary.span, &b.message)));
    told.dedup();
    told
}

/// An error, unless the attribute is a wish or a hint.
fn diagnostic(prog: &Prog, refusal: &Refusal) -> Option<Diagnostic> {
    let place = prog.locs.span(refusal.loc)?;
    let mut told = Diagnostic::error(refusal.code, place, refusal.message.clone()).label(refusal.label.clone());
    if refusal.attr.is_wish() || !refusal.attr.is_binding() {
        told.severity = Severity::Warning;
    } else if !refusal.hint.is_empty() {
        told = told.hint(refusal.hint.clone());
    }
    if let Some((loc, text)) = &refusal.cause
        && let Some(span) = prog.locs.span(*loc)
        && span != place
    {
        told = told.cause(span, text.clone());
    }
    Some(told)
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
