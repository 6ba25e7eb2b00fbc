//! Rules about checks. Nobody relies on the certificate of a check that always passes, so it goes away as dead code;
//! one that never passes stays, to fail at run time.

use super::book::Rule;
use super::engine::{Cx, Step};
use kenaz_ir::facts::Answer;
use kenaz_ir::{Exp, Operand, Scalar, Stm};

pub(super) const RULES: &[Rule] = &[Rule { name: "assert-decided", apply: decided }];

fn decided(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Assert(cond @ Operand::Var(_), message) = &stm.exp else { return None };
    let holds = match cx.facts.decide(*cond) {
        Answer::Proved => true,
        Answer::Refuted => false,
        Answer::Unknown => return None,
    };
    Some(Step::Become(Exp::Assert(Operand::Const(Scalar::Bool(holds)), message.clone()), vec![]))
}
