//! Where a comparison with the index of a loop changes its answer.

use crate::exp::Exp;
use crate::name::Name;
use crate::op::CmpOp;
use crate::poly::Poly;
use crate::prog::{Body, Operand};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// A comparison of two `i64`s in the body of a loop, `op (a*i + left) (b*i + right)`, in which one factor of the index
/// is one more than the other and `left` and `right` are the same in all iterations.
///
/// As `i64`s wrap around, this is the comparison of integers only if both sums are small.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    pub op: CmpOp,
    /// The factors of the index, each of them -1, 0 or 1.
    pub factors: (i128, i128),
    pub left: Poly,
    pub right: Poly,
}

impl Cut {
    /// The comparison of this name in a body, if it is one.
    pub fn of(body: &Body, index: Name, name: Name) -> Option<Cut> {
        let mut known: FxHashMap<Name, Option<Poly>> = FxHashMap::default();
        for stm in &body.stms {
            let value = |x: Operand| match x {
                Operand::Var(name) => known.get(&name).cloned().unwrap_or_else(|| Poly::operand(x)),
                Operand::Const(_) => Poly::operand(x),
            };
            if let (Exp::Cmp(op, x, y), true) = (&stm.exp, stm.pat.iter().any(|p| p.name == name)) {
                return Cut::new(*op, index, &value(*x)?, &value(*y)?);
            }
            let poly = match (&stm.exp, &stm.pat[..]) {
                (Exp::Bin(op, x, y), [param]) if param.ty == Type::I64 => {
                    value(*x).zip(value(*y)).and_then(|(x, y)| Poly::combine(*op, &x, &y))
                }
                (Exp::Operand(x), [param]) if param.ty == Type::I64 => value(*x),
                _ => None,
            };
            known.extend(stm.pat.iter().map(|p| (p.name, poly.clone())));
        }
        None
    }

    fn new(op: CmpOp, index: Name, left: &Poly, right: &Poly) -> Option<Cut> {
        let (a, left) = apart(left, index)?;
        let (b, right) = apart(right, index)?;
        ((a - b).abs() == 1).then_some(Cut { op, factors: (a, b), left, right })
    }

    /// At how many indices the answer changes.
    pub fn points(&self) -> usize {
        if matches!(self.op, CmpOp::Eq | CmpOp::Ne) { 2 } else { 1 }
    }
}

/// The factor of an index, and the rest.
fn apart(poly: &Poly, index: Name) -> Option<(i128, Poly)> {
    let factor = poly.coefficient(&[index]);
    let rest = poly.plus(&Poly::name(index), -factor)?;
    ((-1..=1).contains(&factor) && !rest.names().any(|name| name == index)).then_some((factor, rest))
}
