//! Rules about scalars: constants, algebra, conversions.
//!
//! Integers wrap around, so sums and products of them may be regrouped freely. Floats are left alone except where the
//! result is the same for every value, NaN and the zeros included.

use super::book::Rule;
use super::engine::{Cx, Step, Steps};
use kenaz_base::Prim;
use kenaz_interp::constant;
use kenaz_ir::{BinOp, Body, CmpOp, Exp, Operand, Scalar, Stm, Type, UnOp};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "constant", apply: fold },
    Rule { name: "operand-order", apply: order },
    Rule { name: "neutral-operand", apply: neutral },
    Rule { name: "square", apply: square },
    Rule { name: "absorbing-operand", apply: absorbing },
    Rule { name: "equal-operands", apply: equal },
    Rule { name: "add-constants", apply: add_constants },
    Rule { name: "cancel-sum", apply: cancel },
    Rule { name: "double-operation", apply: twice },
    Rule { name: "negated-comparison", apply: negated },
    Rule { name: "compare-sum", apply: compare_sum },
    Rule { name: "compare-decided", apply: decided },
    Rule { name: "bound-decided", apply: bounds },
    Rule { name: "convert-again", apply: convert },
    Rule { name: "remainder-nearby", apply: nearby },
];

/// `(i + 1) % n` for an index `i` below `n` needs no division: it is `i + 1`, or that less `n`.
fn nearby(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op @ (BinOp::Mod | BinOp::Rem), x, n @ Operand::Var(_)) = stm.exp else { return None };
    if prim_of(cx, n)? != Prim::I64 {
        return None;
    }
    if cx.facts.lies_between(x, 0, 1, n) {
        return Some(Step::Bind(vec![x]));
    }
    let is_above = cx.facts.lies_between(x, 0, 2, n);
    let is_below = !is_above && op == BinOp::Mod && cx.facts.lies_between(x, -1, 1, n);
    if !is_above && !is_below {
        return None;
    }
    let mut other = Steps::new(cx, stm);
    let moved = other.add("near", Exp::Bin(if is_above { BinOp::Sub } else { BinOp::Add }, x, n));
    let other = Body { stms: other.stms, results: vec![moved.into()] };
    let same = Body { stms: Vec::new(), results: vec![x] };
    let mut steps = Steps::new(cx, stm);
    let (bound, yes, no) = if is_above { (n, same, other) } else { (Operand::i64(0), other, same) };
    let cond = steps.add("lt", Exp::Cmp(CmpOp::Lt, x, bound));
    Some(steps.become_(stm, Exp::If(cond.into(), yes, no), Vec::new()))
}

fn fold(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    match &stm.exp {
        Exp::Operand(_) => None,
        exp => Some(Step::Bind(vec![Operand::Const(constant(exp)?)])),
    }
}

fn prim_of(cx: &Cx<'_>, x: Operand) -> Option<Prim> {
    match cx.type_of(x)? {
        Type::Prim(p) => Some(p),
        Type::Array(..) | Type::Cert | Type::Mem(_) | Type::Acc { .. } => None,
    }
}

fn commutes(op: BinOp, prim: Prim) -> bool {
    match op {
        BinOp::Add | BinOp::Mul => true,
        BinOp::And | BinOp::Or | BinOp::Xor => true,
        // The float operations may prefer one of two zeros.
        BinOp::Min | BinOp::Max => !prim.is_float(),
        _ => false,
    }
}

/// Constants stand to the right, and names in the order in which they were made, so that equal expressions look equal.
fn order(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let wrong = |x: Operand, y: Operand| match (x, y) {
        (Operand::Const(_), Operand::Var(_)) => true,
        (Operand::Var(x), Operand::Var(y)) => x > y,
        _ => false,
    };
    match stm.exp {
        Exp::Bin(op, x, y) if wrong(x, y) && commutes(op, prim_of(cx, x)?) => {
            Some(Step::Become(Exp::Bin(op, y, x), vec![]))
        }
        Exp::Cmp(op, x, y) if wrong(x, y) => Some(Step::Become(Exp::Cmp(mirrored(op), y, x), vec![])),
        _ => None,
    }
}

fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Eq,
        CmpOp::Ne => CmpOp::Ne,
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
    }
}

fn is(x: Operand, value: i64) -> bool {
    match x {
        Operand::Const(c @ Scalar::Bool(_)) => c.bits() as i64 == value,
        Operand::Const(c) => match c {
            Scalar::F16(x) => f64::from(x) == value as f64,
            Scalar::F32(x) => f64::from(x) == value as f64,
            Scalar::F64(x) => x == value as f64,
            _ => c.bits() as i64 == value,
        },
        Operand::Var(_) => false,
    }
}

/// `x + 0`, `x * 1`, `x and true`.
fn neutral(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op, x, y) = stm.exp else { return None };
    let prim = prim_of(cx, x)?;
    let all_ones = matches!(y, Operand::Const(c) if c == ones(prim));
    let is_neutral = match op {
        // Minus zero plus zero is zero.
        BinOp::Add | BinOp::Or | BinOp::Xor => is(y, 0) && !prim.is_float(),
        BinOp::Sub => is(y, 0) && (!prim.is_float() || matches!(y, Operand::Const(c) if c.bits() == 0)),
        BinOp::Shl | BinOp::Shr => is(y, 0),
        BinOp::Mul | BinOp::Div | BinOp::Pow => is(y, 1),
        BinOp::Quot => is(y, 1) && !prim.is_float(),
        BinOp::And => all_ones,
        BinOp::Mod | BinOp::Rem | BinOp::Min | BinOp::Max => false,
    };
    is_neutral.then(|| Step::Bind(vec![x]))
}

/// `x ** 2` is `x * x`, which is also the float that is nearest to it. C compilers know that, those of kernels do not.
fn square(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    match stm.exp {
        Exp::Bin(BinOp::Pow, x, y) if is(y, 2) => Some(Step::Become(Exp::Bin(BinOp::Mul, x, x), vec![])),
        _ => None,
    }
}

/// All bits set, or true.
fn ones(prim: Prim) -> Scalar {
    Scalar::from_bits(prim, u64::MAX)
}

/// `x * 0`, `x and false`, `x mod 1`.
fn absorbing(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op, x, y) = stm.exp else { return None };
    let prim = prim_of(cx, x)?;
    if prim.is_float() {
        return None;
    }
    let zero = Operand::Const(Scalar::zero(prim));
    match op {
        BinOp::Mul | BinOp::And if is(y, 0) => Some(Step::Bind(vec![zero])),
        BinOp::Mod | BinOp::Rem if is(y, 1) => Some(Step::Bind(vec![zero])),
        BinOp::Or if y == Operand::Const(ones(prim)) => Some(Step::Bind(vec![y])),
        BinOp::Pow if is(y, 0) => Some(Step::Bind(vec![Operand::Const(Scalar::from_bits(prim, 1))])),
        _ => None,
    }
}

/// `x - x`, `x and x`, `x < x`.
fn equal(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    match stm.exp {
        Exp::Bin(op, x, y) if x == y => {
            let prim = prim_of(cx, x)?;
            match op {
                BinOp::Sub | BinOp::Xor if !prim.is_float() => {
                    Some(Step::Bind(vec![Operand::Const(Scalar::zero(prim))]))
                }
                BinOp::And | BinOp::Or => Some(Step::Bind(vec![x])),
                BinOp::Min | BinOp::Max => Some(Step::Bind(vec![x])),
                _ => None,
            }
        }
        Exp::Cmp(op, x, y) if x == y && !prim_of(cx, x)?.is_float() => {
            Some(Step::Bind(vec![Operand::bool(matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge))]))
        }
        // A boolean compared with a constant is itself, or its negation.
        Exp::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), x, Operand::Const(Scalar::Bool(c))) => Some(match (op, c) {
            (CmpOp::Eq, true) | (CmpOp::Ne, false) => Step::Bind(vec![x]),
            _ => Step::Become(Exp::Un(UnOp::Not, x), vec![]),
        }),
        _ => None,
    }
}

/// `(x + 1) + 2` and the like, and `x - 1` as `x + -1`.
fn add_constants(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op, x, Operand::Const(c)) = stm.exp else { return None };
    if !c.prim().is_integer() {
        return None;
    }
    if op == BinOp::Sub {
        let negative = constant(&Exp::Un(UnOp::Neg, Operand::Const(c)))?;
        return Some(Step::Become(Exp::Bin(BinOp::Add, x, Operand::Const(negative)), vec![]));
    }
    if !matches!(op, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max) {
        return None;
    }
    match cx.def_of(x)?.exp {
        Exp::Bin(inner, y, Operand::Const(d)) if inner == op => {
            let both = constant(&Exp::Bin(op, Operand::Const(d), Operand::Const(c)))?;
            Some(Step::Become(Exp::Bin(op, y, Operand::Const(both)), vec![]))
        }
        _ => None,
    }
}

/// `(x + y) - x`, `(x - y) + y`, `x + x * -1`, for integers.
fn cancel(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op @ (BinOp::Add | BinOp::Sub), x, y) = stm.exp else { return None };
    let prim = prim_of(cx, x)?;
    if !prim.is_integer() {
        return None;
    }
    let def = |z: Operand| cx.def_of(z).map(|def| &def.exp);
    let is_minus_one = |z: Operand| z == Operand::Const(Scalar::from_bits(prim, u64::MAX));
    let zero = Operand::Const(Scalar::from_bits(prim, 0));
    match op {
        BinOp::Sub => match def(x) {
            Some(Exp::Bin(BinOp::Add, a, b)) if *a == y => Some(Step::Bind(vec![*b])),
            Some(Exp::Bin(BinOp::Add, a, b)) if *b == y => Some(Step::Bind(vec![*a])),
            _ => None,
        },
        _ => match (def(x), def(y)) {
            (Some(Exp::Bin(BinOp::Sub, a, b)), _) if *b == y => Some(Step::Bind(vec![*a])),
            (_, Some(Exp::Bin(BinOp::Sub, a, b))) if *b == x => Some(Step::Bind(vec![*a])),
            (Some(Exp::Bin(BinOp::Mul, a, b)), _) if *a == y && is_minus_one(*b) => Some(Step::Bind(vec![zero])),
            (_, Some(Exp::Bin(BinOp::Mul, a, b))) if *a == x && is_minus_one(*b) => Some(Step::Bind(vec![zero])),
            _ => None,
        },
    }
}

/// `not (not x)`, `- (- x)`, `abs (abs x)`.
fn twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Un(op, x) = stm.exp else { return None };
    match cx.def_of(x)?.exp {
        Exp::Un(inner, y) if inner == op => match op {
            UnOp::Neg | UnOp::Not => Some(Step::Bind(vec![y])),
            UnOp::Abs => Some(Step::Bind(vec![x])),
            UnOp::Sgn => None,
        },
        _ => None,
    }
}

/// `not (x < y)` is `x >= y`, but not for floats, because of NaN.
fn negated(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Un(UnOp::Not, x) = stm.exp else { return None };
    let Exp::Cmp(op, a, b) = cx.def_of(x)?.exp else { return None };
    let op = match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        _ if prim_of(cx, a)?.is_float() => return None,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    };
    Some(Step::Become(Exp::Cmp(op, a, b), vec![]))
}

/// `x + 1 == 3` is `x == 2`.
fn compare_sum(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), x, Operand::Const(c)) = stm.exp else { return None };
    if !c.prim().is_integer() {
        return None;
    }
    let Exp::Bin(BinOp::Add, y, Operand::Const(d)) = cx.def_of(x)?.exp else { return None };
    let less = constant(&Exp::Bin(BinOp::Sub, Operand::Const(c), Operand::Const(d)))?;
    Some(Step::Become(Exp::Cmp(op, y, Operand::Const(less)), vec![]))
}

/// A comparison of sizes or indices whose outcome is known.
fn decided(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    use kenaz_ir::facts::Answer;
    let Exp::Cmp(op, x, y) = stm.exp else { return None };
    if prim_of(cx, x)? != Prim::I64 {
        return None;
    }
    let answer = match op {
        CmpOp::Eq => cx.facts.prove_eq(x, y),
        CmpOp::Ne => not(cx.facts.prove_eq(x, y)),
        CmpOp::Lt => cx.facts.prove_lt(x, y),
        CmpOp::Le => cx.facts.prove_le(x, y),
        CmpOp::Gt => cx.facts.prove_lt(y, x),
        CmpOp::Ge => cx.facts.prove_le(y, x),
    };
    return match answer {
        Answer::Proved => Some(Step::Bind(vec![Operand::bool(true)])),
        Answer::Refuted => Some(Step::Bind(vec![Operand::bool(false)])),
        Answer::Unknown => None,
    };

    fn not(answer: Answer) -> Answer {
        match answer {
            Answer::Proved => Answer::Refuted,
            Answer::Refuted => Answer::Proved,
            Answer::Unknown => Answer::Unknown,
        }
    }
}

/// The smaller of two sizes one of which is known to be.
fn bounds(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Bin(op @ (BinOp::Min | BinOp::Max), x, y) = stm.exp else { return None };
    if prim_of(cx, x)? != Prim::I64 {
        return None;
    }
    let (less, more) = if cx.facts.proves_le(x, y) {
        (x, y)
    } else if cx.facts.proves_le(y, x) {
        (y, x)
    } else {
        return None;
    };
    Some(Step::Bind(vec![if op == BinOp::Min { less } else { more }]))
}

/// A conversion to the same type, or back from a wider one.
fn convert(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Conv(to, x) = stm.exp else { return None };
    let from = prim_of(cx, x)?;
    if from == to {
        return Some(Step::Bind(vec![x]));
    }
    let Exp::Conv(_, y) = cx.def_of(x)?.exp else { return None };
    let first = prim_of(cx, y)?;
    // Integers of the same or a larger width keep the low bits.
    let keeps = first.is_integer() && from.is_integer() && to.is_integer() && bits(to) <= bits(from);
    if !keeps {
        return None;
    }
    if first == to && bits(first) <= bits(from) {
        return Some(Step::Bind(vec![y]));
    }
    (bits(first) >= bits(to)).then(|| Step::Become(Exp::Conv(to, y), vec![]))
}

fn bits(prim: Prim) -> u32 {
    match prim {
        Prim::I8 | Prim::U8 => 8,
        Prim::I16 | Prim::U16 | Prim::F16 => 16,
        Prim::I32 | Prim::U32 | Prim::F32 => 32,
        Prim::I64 | Prim::U64 | Prim::F64 => 64,
        Prim::Bool => 1,
    }
}
