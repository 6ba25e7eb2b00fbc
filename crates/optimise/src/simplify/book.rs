//! The rule book: which rules there are for which expressions.

use super::engine::{Cx, Step};
use super::{array, check, control, scalar, soac, view};
use kenaz_ir::{Exp, Soac, Stm};

/// A small rewrite. It changes nothing itself: it says what to put in the place of a statement.
#[derive(Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    pub apply: fn(&mut Cx<'_>, &Stm) -> Option<Step>,
}

/// All rules, for those who count them; beside them there are those that are not about one statement.
pub const RULES: &[&[Rule]] = &[
    scalar::RULES,
    array::COPIES,
    array::RULES,
    view::INDEX,
    view::RULES,
    control::BEFORE,
    control::AFTER,
    soac::BEFORE,
    soac::AFTER,
    check::RULES,
];

/// The names of the rules that have no function in the book.
pub const OTHERS: &[&str] =
    &["assert-true", "same-expression", "dead-code", "scan-last", "constant-argument", "same-argument"];

/// Whether a rule may let others apply in front of the place where it did: by leaving less that is consumed.
pub(super) fn concerns_earlier(rule: &str) -> bool {
    matches!(
        rule,
        "branch-decided" | "loop-never" | "loop-once" | "update-with-itself" | "update-of-all" | "map-of-nothing"
    )
}

/// The first rule that applies. `done` says whether the bodies inside the statement have been walked.
pub(super) fn apply(cx: &mut Cx<'_>, stm: &Stm, done: bool) -> Option<(&'static str, Step)> {
    let rules = match &stm.exp {
        Exp::Operand(_) => array::COPIES,
        Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..) => scalar::RULES,
        Exp::Assert(..) => check::RULES,
        Exp::Index(..) => view::INDEX,
        Exp::Slice(..) | Exp::Rearrange(..) | Exp::Reshape(..) | Exp::Resize(..) | Exp::FlatIndex(..) => view::RULES,
        Exp::Update(..) | Exp::Array(..) | Exp::Iota { .. } | Exp::Replicate(..) | Exp::Concat(..) | Exp::Copy(_) => {
            array::RULES
        }
        Exp::If(..) | Exp::Match(..) | Exp::Loop { .. } => {
            if done {
                control::AFTER
            } else {
                control::BEFORE
            }
        }
        Exp::Soac(Soac::Screma { .. } | Soac::Filter { .. } | Soac::Scatter { .. } | Soac::Hist { .. }) => {
            if done {
                soac::AFTER
            } else {
                soac::BEFORE
            }
        }
        Exp::Scratch(..)
        | Exp::FlatUpdate(..)
        | Exp::Call(..)
        | Exp::Soac(_)
        | Exp::Par(_)
        | Exp::Mem(_)
        | Exp::Jvp(..)
        | Exp::Vjp(..)
        | Exp::Trace(..)
        | Exp::Tunable(_)
        | Exp::Opaque(_) => &[],
    };
    rules.iter().find_map(|rule| Some((rule.name, (rule.apply)(cx, stm)?)))
}

/// Whether rules ask how something was computed if it was computed like this.
pub(super) fn is_looked_through(exp: &Exp) -> bool {
    match exp {
        Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Conv(..)
        | Exp::Index(..)
        | Exp::Slice(..)
        | Exp::Update(..)
        | Exp::Array(..)
        | Exp::Iota { .. }
        | Exp::Replicate(..)
        | Exp::Concat(..)
        | Exp::Rearrange(..)
        | Exp::Reshape(..)
        | Exp::Resize(..)
        | Exp::Copy(_)
        | Exp::FlatIndex(..) => true,
        Exp::Soac(soac) => view::is_cheap_map(soac),
        Exp::Operand(_)
        | Exp::Math(..)
        | Exp::Assert(..)
        | Exp::Scratch(..)
        | Exp::FlatUpdate(..)
        | Exp::If(..)
        | Exp::Match(..)
        | Exp::Loop { .. }
        | Exp::Call(..)
        | Exp::Par(_)
        | Exp::Mem(_)
        | Exp::Jvp(..)
        | Exp::Vjp(..)
        | Exp::Trace(..)
        | Exp::Tunable(_)
        | Exp::Opaque(_) => false,
    }
}
