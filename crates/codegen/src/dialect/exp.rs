//! Expressions as text, with no more parentheses than needed.
//!
//! Plain operators are used where C means the same: for floats, for the indices of elements, which do not overflow, for
//! unsigned numbers that C does not promote to `int`, and for booleans. Everything else is a function of the run-time
//! system.

use crate::parts::{Needs, Part};
use kenaz_base::{Prim, with_stack};
use kenaz_imp::Exp;
use kenaz_ir::{BinOp, CmpOp, MathFn, Name, Scalar, UnOp};

/// How tightly an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prec {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Sum,
    Product,
    Unary,
    Atom,
}

/// An expression as text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub text: String,
    pub prec: Prec,
}

impl Text {
    pub(crate) fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), prec: Prec::Atom }
    }

    /// In parentheses unless it binds at least as tightly.
    pub(crate) fn at(self, prec: Prec) -> String {
        if self.prec >= prec { self.text } else { format!("({})", self.text) }
    }
}

/// What names look like.
pub(crate) trait Idents {
    /// A scalar variable, which may stand for what is behind a pointer.
    fn scalar(&self, name: Name) -> Text;

    /// A block as a pointer to elements of the type.
    fn elements(&self, block: Name, prim: Prim) -> String;

    /// Where the parts of the run-time system are noted whose names are written.
    fn needs(&self) -> &Needs;

    /// Whether a variable of type `i64` may have 32 bits.
    fn is_narrow(&self, _name: Name) -> bool {
        false
    }

    /// Whether C compilers have no reason to compute several values at a time of what is being written.
    fn is_alone(&self) -> bool {
        false
    }
}

/// A primitive type.
pub(crate) fn c_type(needs: &Needs, prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "int8_t",
        Prim::I16 => "int16_t",
        Prim::I32 => "int32_t",
        Prim::I64 => "int64_t",
        Prim::U8 => "uint8_t",
        Prim::U16 => "uint16_t",
        Prim::U32 => "uint32_t",
        Prim::U64 => "uint64_t",
        Prim::F16 => needs.name(Part::Half, "kz_f16"),
        Prim::F32 => "float",
        Prim::F64 => "double",
        Prim::Bool => "bool",
    }
}

/// The type of the elements of a block. gcc makes no vectors of loads of `bool`, but of bytes that are compared with 0.
pub(crate) fn element_type(needs: &Needs, prim: Prim) -> &'static str {
    match prim {
        Prim::Bool => "uint8_t",
        prim => c_type(needs, prim),
    }
}

/// The index of an element. Since the element is there, nothing overflows on the way to its index.
pub(crate) fn index(names: &dyn Idents, e: &Exp) -> Text {
    with_stack(|| match e {
        Exp::Add(x, y) => infix(names, index, "+", Prec::Sum, x, y),
        Exp::Sub(x, y) => infix(names, index, "-", Prec::Sum, x, y),
        Exp::Mul(x, y) => infix(names, index, "*", Prec::Product, x, y),
        Exp::Var(name, _) if names.is_narrow(*name) => {
            Text { text: format!("(int64_t){}", names.scalar(*name).at(Prec::Unary)), prec: Prec::Unary }
        }
        Exp::Quot(x, y) => infix(names, index, "/", Prec::Product, x, y),
        Exp::Rem(x, y) => infix(names, index, "%", Prec::Product, x, y),
        _ => exp(names, e),
    })
}

/// An expression that stands where any will do.
pub(crate) fn plain(names: &dyn Idents, e: &Exp) -> String {
    exp(names, e).text
}

pub(crate) fn exp(names: &dyn Idents, e: &Exp) -> Text {
    with_stack(|| match e {
        Exp::Const(c) => constant(names.needs(), *c),
        Exp::Var(name, _) => names.scalar(*name),
        Exp::Un(op, prim, x) => unary(names, *op, *prim, x),
        Exp::Bin(op, prim, x, y) => binary(names, *op, *prim, x, y),
        Exp::Cmp(op, prim, x, y) => compare(names, *op, *prim, x, y),
        Exp::Conv(from, to, x) => convert(names, *from, *to, x),
        Exp::Math(f, prim, xs) => {
            let part = match f {
                MathFn::Popc | MathFn::Clz | MathFn::Ctz | MathFn::MulHi => Part::Bits,
                _ => part_of(*prim),
            };
            call_of(names, part, f.text(), *prim, &xs.iter().collect::<Vec<_>>())
        }
        Exp::Load { block, prim, index } => {
            let text = format!("{}[{}]", names.elements(*block, *prim), self::index(names, index).text);
            match prim {
                Prim::Bool => Text { text: format!("{text} != 0"), prec: Prec::Equality },
                _ => Text::atom(text),
            }
        }
        Exp::Select(_, c, x, y) => {
            let text = format!(
                "{} ? {} : {}",
                exp(names, c).at(Prec::Or),
                exp(names, x).at(Prec::Or),
                exp(names, y).at(Prec::Choice)
            );
            Text { text, prec: Prec::Choice }
        }
        Exp::Add(x, y) => call(names, "add", Prim::I64, &[x, y]),
        Exp::Sub(x, y) => call(names, "sub", Prim::I64, &[x, y]),
        Exp::Mul(x, y) => call(names, "mul", Prim::I64, &[x, y]),
        Exp::Quot(x, y) => infix(names, exp, "/", Prec::Product, x, y),
        Exp::Rem(x, y) => infix(names, exp, "%", Prec::Product, x, y),
    })
}

/// The condition that an expression is false.
pub(crate) fn negated(names: &dyn Idents, e: &Exp) -> Text {
    match e {
        Exp::Const(Scalar::Bool(b)) => constant(names.needs(), Scalar::Bool(!b)),
        Exp::Un(UnOp::Not, Prim::Bool, x) => exp(names, x),
        Exp::Load { block, prim: Prim::Bool, index } => {
            let text = format!("{}[{}] == 0", names.elements(*block, Prim::Bool), self::index(names, index).text);
            Text { text, prec: Prec::Equality }
        }
        Exp::Cmp(op, prim, x, y) => {
            let opposite = match op {
                CmpOp::Eq => CmpOp::Ne,
                CmpOp::Ne => CmpOp::Eq,
                // No order holds between a number and NaN.
                _ if prim.is_float() => return not(names, e),
                CmpOp::Lt => CmpOp::Ge,
                CmpOp::Le => CmpOp::Gt,
                CmpOp::Gt => CmpOp::Le,
                CmpOp::Ge => CmpOp::Lt,
            };
            compare(names, opposite, *prim, x, y)
        }
        Exp::Bin(op @ (BinOp::And | BinOp::Or), Prim::Bool, x, y) => with_stack(|| {
            junction(if *op == BinOp::And { BinOp::Or } else { BinOp::And }, negated(names, x), negated(names, y))
        }),
        _ => not(names, e),
    }
}

fn not(names: &dyn Idents, e: &Exp) -> Text {
    Text { text: format!("!{}", exp(names, e).at(Prec::Unary)), prec: Prec::Unary }
}

/// `&&` and `||`: both sides may be evaluated, but need not be. Compilers warn about one inside the other.
fn junction(op: BinOp, x: Text, y: Text) -> Text {
    let (word, prec, other) = if op == BinOp::And { ("&&", Prec::And, Prec::Or) } else { ("||", Prec::Or, Prec::And) };
    let side = |t: Text| if t.prec == other { format!("({})", t.text) } else { t.at(prec) };
    Text { text: format!("{} {word} {}", side(x), side(y)), prec }
}

/// An operator of C that associates to the left. The operands are computed in the type of the operation even if both
/// are constants, which C takes for `int`.
fn infix(names: &dyn Idents, side: fn(&dyn Idents, &Exp) -> Text, op: &str, prec: Prec, x: &Exp, y: &Exp) -> Text {
    let right = side(names, y).at(next(prec));
    let mut left = side(names, x);
    if narrow(x) && narrow(y) {
        left =
            Text { text: format!("({}){}", c_type(names.needs(), x.prim()), left.at(Prec::Unary)), prec: Prec::Unary };
    }
    // A chain of the same operator of bits needs no parentheses; compilers warn about different ones.
    let is_same = left.prec == prec || next(prec) != Prec::Unary || prec == Prec::Product;
    let left = left.at(if is_same { prec } else { Prec::Unary });
    Text { text: format!("{left} {op} {right}"), prec }
}

fn next(prec: Prec) -> Prec {
    match prec {
        Prec::Sum => Prec::Product,
        Prec::Product => Prec::Unary,
        // Compilers warn about bits and comparisons that lean on precedence.
        Prec::Choice
        | Prec::Or
        | Prec::And
        | Prec::BitOr
        | Prec::BitXor
        | Prec::BitAnd
        | Prec::Equality
        | Prec::Order
        | Prec::Unary
        | Prec::Atom => Prec::Unary,
    }
}

/// Whether C may take an expression of 64 bits for one of fewer.
fn narrow(e: &Exp) -> bool {
    match e {
        Exp::Const(Scalar::I64(n)) => i32::try_from(*n).is_ok(),
        Exp::Const(Scalar::U64(n)) => u32::try_from(*n).is_ok(),
        Exp::Select(_, _, x, y) | Exp::Bin(BinOp::And | BinOp::Or | BinOp::Xor, _, x, y) => narrow(x) && narrow(y),
        Exp::Un(UnOp::Not, _, x) => narrow(x),
        _ => false,
    }
}

/// The part that has the operations on a type, but for those on bits.
fn part_of(prim: Prim) -> Part {
    match prim {
        Prim::F16 => Part::Half,
        Prim::F32 | Prim::F64 => Part::Real,
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => Part::Integer,
        Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 | Prim::Bool => Part::Integer,
    }
}

fn call(names: &dyn Idents, op: &str, prim: Prim, args: &[&Exp]) -> Text {
    call_of(names, part_of(prim), op, prim, args)
}

fn call_of(names: &dyn Idents, part: Part, op: &str, prim: Prim, args: &[&Exp]) -> Text {
    names.needs().add(part);
    let args: Vec<String> = args.iter().map(|x| plain(names, x)).collect();
    Text::atom(format!("{op}_{}({})", prim.name(), args.join(", ")))
}

/// Whether C computes in the type itself, with wraparound.
fn is_plain_unsigned(prim: Prim) -> bool {
    matches!(prim, Prim::U32 | Prim::U64)
}

fn unary(names: &dyn Idents, op: UnOp, prim: Prim, x: &Exp) -> Text {
    let sign = match op {
        UnOp::Neg if matches!(prim, Prim::F32 | Prim::F64) => "-",
        UnOp::Not if prim == Prim::Bool => return negated(names, x),
        // The complement of a promoted unsigned number is negative.
        UnOp::Not if !matches!(prim, Prim::U8 | Prim::U16) && !narrow(x) => "~",
        UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Sgn => return call(names, op.text(), prim, &[x]),
    };
    let operand = exp(names, x);
    let operand = if operand.text.starts_with(sign) { format!("({})", operand.text) } else { operand.at(Prec::Unary) };
    Text { text: format!("{sign}{operand}"), prec: Prec::Unary }
}

fn binary(names: &dyn Idents, op: BinOp, prim: Prim, x: &Exp, y: &Exp) -> Text {
    if let Some((op, prec)) = operator(op, prim) {
        return infix(names, exp, op, prec, x, y);
    }
    // Rounding down by a power of two is a shift, and what is left are the last bits. Compilers know that only of
    // numbers that are not negative.
    if let (BinOp::Div | BinOp::Mod, Some(bits)) = (op, power_of_two(prim, y)) {
        let constant = |n: u64| Exp::Const(Scalar::from_bits(prim, n));
        return match op {
            BinOp::Div => call(names, "shr", prim, &[x, &constant(bits.into())]),
            _ => infix(names, exp, "&", Prec::BitAnd, x, &constant((1 << bits) - 1)),
        };
    }
    match op {
        BinOp::And | BinOp::Or if prim == Prim::Bool => junction(op, exp(names, x), exp(names, y)),
        BinOp::Xor if prim == Prim::Bool => compare(names, CmpOp::Ne, prim, x, y),
        _ => call(names, op.text(), prim, &[x, y]),
    }
}

/// Which power of two a signed constant is.
fn power_of_two(prim: Prim, e: &Exp) -> Option<u32> {
    let Exp::Const(c) = e else { return None };
    let n = c.as_i64().filter(|_| prim.is_integer() && prim.is_signed())?;
    (n > 0 && n & (n - 1) == 0).then(|| n.trailing_zeros())
}

/// The operator of C that means the same.
pub(crate) fn operator(op: BinOp, prim: Prim) -> Option<(&'static str, Prec)> {
    let arithmetic = matches!(prim, Prim::F32 | Prim::F64) || is_plain_unsigned(prim);
    Some(match op {
        BinOp::Add if arithmetic => ("+", Prec::Sum),
        BinOp::Sub if arithmetic => ("-", Prec::Sum),
        BinOp::Mul if arithmetic => ("*", Prec::Product),
        BinOp::Div if matches!(prim, Prim::F32 | Prim::F64) => ("/", Prec::Product),
        BinOp::And if prim.is_integer() => ("&", Prec::BitAnd),
        BinOp::Or if prim.is_integer() => ("|", Prec::BitOr),
        BinOp::Xor if prim.is_integer() => ("^", Prec::BitXor),
        _ => return None,
    })
}

fn compare(names: &dyn Idents, op: CmpOp, prim: Prim, x: &Exp, y: &Exp) -> Text {
    if let (Exp::Const(_), false) = (x, matches!(y, Exp::Const(_))) {
        return compare(names, mirrored(op), prim, y, x);
    }
    let (word, prec) = match op {
        CmpOp::Eq => ("==", Prec::Equality),
        CmpOp::Ne => ("!=", Prec::Equality),
        CmpOp::Lt => ("<", Prec::Order),
        CmpOp::Le => ("<=", Prec::Order),
        CmpOp::Gt => (">", Prec::Order),
        CmpOp::Ge => (">=", Prec::Order),
    };
    if is_bit_test(op, x, y) {
        return Text { text: format!("{} > 0", exp(names, x).at(Prec::Sum)), prec: Prec::Order };
    }
    // Compilers warn about comparisons whose outcome they know.
    let zero = |e: &Exp| matches!(e, Exp::Const(c) if c.bits() == 0);
    let evident = prec == Prec::Order && !prim.is_signed() && (zero(x) || zero(y));
    let constant = matches!((x, y), (Exp::Const(_), Exp::Const(_)));
    let ordered_bools = prim == Prim::Bool && prec == Prec::Order;
    if prim == Prim::F16 || ordered_bools || (!prim.is_float() && (evident || constant || x == y)) {
        return call(names, op.text(), prim, &[x, y]);
    }
    Text { text: format!("{} {word} {}", exp(names, x).at(Prec::Sum), exp(names, y).at(Prec::Sum)), prec }
}

/// Whether a comparison says that the last bit of a number is set. GCC takes `(x & 1) == 1` for a conversion of `x` to
/// a number of one bit, which it has no vectors for.
fn is_bit_test(op: CmpOp, x: &Exp, y: &Exp) -> bool {
    let is = |e: &Exp, n: u64| matches!(e, Exp::Const(c) if c.prim().is_integer() && c.bits() == n);
    let is_bit = match x {
        Exp::Bin(BinOp::And, _, _, one) => is(one, 1),
        Exp::Bin(BinOp::Mod, _, _, two) => is(two, 2),
        _ => false,
    };
    is_bit && (op == CmpOp::Eq && is(y, 1) || op == CmpOp::Ne && is(y, 0))
}

/// The comparison that holds of the operands in the other order.
fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::Eq | CmpOp::Ne => op,
    }
}

fn convert(names: &dyn Idents, from: Prim, to: Prim, x: &Exp) -> Text {
    if from == to {
        return exp(names, x);
    }
    let is_half = from == Prim::F16 || to == Prim::F16;
    if from.is_float() && to.is_integer() && !is_half && to != Prim::U64 && names.is_alone() {
        let name = format!("{}_to_{}_alone", from.name(), to.name());
        names.needs().add(Part::Alone);
        return Text::atom(format!("{name}({})", plain(names, x)));
    }
    if is_half || (from.is_float() && to.is_integer()) {
        return Text::atom(conversion(names.needs(), from, to, &plain(names, x)));
    }
    if to == Prim::Bool {
        let zero = Exp::Const(Scalar::zero(from));
        return compare(names, CmpOp::Ne, from, x, &zero);
    }
    let cast = |t: Text, prim: Prim| Text {
        text: format!("({}){}", c_type(names.needs(), prim), t.at(Prec::Unary)),
        prec: Prec::Unary,
    };
    let mut text = exp(names, x);
    // By way of the unsigned type of the same width.
    let own = match from {
        Prim::I8 => Some(Prim::U8),
        Prim::I16 => Some(Prim::U16),
        Prim::I32 => Some(Prim::U32),
        _ => None,
    };
    if let Some(own) = own.filter(|own| !to.is_signed() && to.is_integer() && *own != to) {
        text = cast(text, own);
    }
    cast(text, to)
}

/// A call of the function that converts between two types.
pub(crate) fn conversion(needs: &Needs, from: Prim, to: Prim, value: &str) -> String {
    let is_half = from == Prim::F16 || to == Prim::F16;
    needs.add(if is_half { Part::Half } else { Part::Convert });
    format!("{}_to_{}({value})", from.name(), to.name())
}

fn signed(n: i64, text: String) -> Text {
    Text { text, prec: if n < 0 { Prec::Unary } else { Prec::Atom } }
}

pub(crate) fn constant(needs: &Needs, c: Scalar) -> Text {
    let from_bits = |prim: Prim, bits: String| {
        needs.add(Part::Real);
        Text::atom(format!("from_bits_{}({bits})", prim.name()))
    };
    match c {
        Scalar::I8(n) => signed(n.into(), n.to_string()),
        Scalar::I16(n) => signed(n.into(), n.to_string()),
        Scalar::I32(i32::MIN) => Text::atom("INT32_MIN"),
        Scalar::I32(n) => signed(n.into(), n.to_string()),
        Scalar::I64(i64::MIN) => Text::atom("INT64_MIN"),
        Scalar::I64(n) if i32::try_from(n).is_ok() => signed(n, n.to_string()),
        Scalar::I64(n) => Text::atom(format!("INT64_C({n})")),
        // Promoted to `int`, like variables of their types.
        Scalar::U8(n) => Text::atom(n.to_string()),
        Scalar::U16(n) => Text::atom(n.to_string()),
        Scalar::U32(n) => Text::atom(format!("{n}u")),
        Scalar::U64(n) if u32::try_from(n).is_ok() => Text::atom(format!("{n}u")),
        Scalar::U64(n) => Text::atom(format!("UINT64_C({n})")),
        Scalar::Bool(b) => Text::atom(b.to_string()),
        Scalar::F16(x) => Text::atom(format!("{:#06x}u /* {x} */", x.to_bits())),
        Scalar::F32(x) if x.is_finite() => float(x.is_sign_negative(), format!("{x:?}f")),
        Scalar::F64(x) if x.is_finite() => float(x.is_sign_negative(), format!("{x:?}")),
        Scalar::F32(f32::INFINITY) => Text::atom("INFINITY"),
        Scalar::F64(f64::INFINITY) => Text::atom("(double)INFINITY"),
        Scalar::F32(f32::NEG_INFINITY) => float(true, "-INFINITY".into()),
        Scalar::F64(f64::NEG_INFINITY) => float(true, "-(double)INFINITY".into()),
        Scalar::F32(x) => from_bits(Prim::F32, format!("{:#x}u", x.to_bits())),
        Scalar::F64(x) => from_bits(Prim::F64, format!("UINT64_C({:#x})", x.to_bits())),
    }
}

fn float(is_negative: bool, text: String) -> Text {
    Text { text, prec: if is_negative { Prec::Unary } else { Prec::Atom } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Symbol;

    #[derive(Default)]
    struct Bases(Needs);

    impl Idents for Bases {
        fn scalar(&self, name: Name) -> Text {
            Text::atom(name.base.as_str())
        }

        fn elements(&self, block: Name, _: Prim) -> String {
            block.base.to_string()
        }

        fn needs(&self) -> &Needs {
            &self.0
        }
    }

    fn var(base: &str, prim: Prim) -> Exp {
        Exp::Var(Name { base: Symbol::intern(base), id: base.bytes().map(u32::from).sum() }, prim)
    }

    fn bin(op: BinOp, x: Exp, y: Exp) -> Exp {
        Exp::Bin(op, x.prim(), Box::new(x), Box::new(y))
    }

    fn cmp(op: CmpOp, x: Exp, y: Exp) -> Exp {
        Exp::Cmp(op, x.prim(), Box::new(x), Box::new(y))
    }

    fn text(e: &Exp) -> String {
        plain(&Bases::default(), e)
    }

    #[test]
    fn powers_of_two_need_no_division() {
        let x = var("x", Prim::I64);
        let by = |op, n: i64| text(&bin(op, x.clone(), Exp::i64(n)));
        assert_eq!(by(BinOp::Div, 8), "shr_i64(x, 3)");
        assert_eq!(by(BinOp::Mod, 8), "x & 7");
        assert_eq!(by(BinOp::Div, 6), "div_i64(x, 6)");
        assert_eq!(by(BinOp::Mod, -8), "mod_i64(x, -8)");
        assert_eq!(by(BinOp::Div, i64::MIN), "div_i64(x, INT64_MIN)");
        assert_eq!(by(BinOp::Div, 1 << 62), "shr_i64(x, 62)");
        // Rounding towards zero is something else.
        assert_eq!(by(BinOp::Quot, 8), "quot_i64(x, 8)");
        assert_eq!(by(BinOp::Rem, 8), "rem_i64(x, 8)");
        let (y, eight) = (var("y", Prim::U8), Exp::Const(Scalar::U8(8)));
        assert_eq!(text(&bin(BinOp::Div, y, eight)), "div_u8(y, 8)");
        let (z, all) = (var("z", Prim::I8), Exp::Const(Scalar::I8(i8::MIN)));
        assert_eq!(text(&bin(BinOp::Mod, z, all)), "mod_i8(z, -128)");
    }

    #[test]
    fn parentheses_only_where_they_matter() {
        let [x, y, z] = ["x", "y", "z"].map(|base| var(base, Prim::F32));
        let sum = bin(BinOp::Add, x.clone(), y.clone());
        assert_eq!(text(&bin(BinOp::Mul, sum.clone(), z.clone())), "(x + y) * z");
        assert_eq!(text(&bin(BinOp::Sub, sum.clone(), z.clone())), "x + y - z");
        assert_eq!(text(&bin(BinOp::Sub, z.clone(), sum.clone())), "z - (x + y)");
        let negative = Exp::Un(UnOp::Neg, Prim::F32, Box::new(Exp::Const(Scalar::F32(-1.0))));
        assert_eq!(text(&negative), "-(-1.0f)");
        let less = cmp(CmpOp::Lt, sum, z);
        assert_eq!(text(&less), "x + y < z");
        assert_eq!(negated(&Bases::default(), &less).text, "!(x + y < z)");
        let both = bin(BinOp::And, less.clone(), var("b", Prim::Bool));
        assert_eq!(text(&bin(BinOp::Or, both.clone(), less)), "(x + y < z && b) || x + y < z");
        assert_eq!(negated(&Bases::default(), &both).text, "!(x + y < z) || !b");
    }

    #[test]
    fn integers_wrap_around() {
        let i = |n: i64| Exp::i64(n);
        let [a, b] = ["a", "b"].map(|base| var(base, Prim::I64));
        assert_eq!(text(&bin(BinOp::Add, a.clone(), b.clone())), "add_i64(a, b)");
        let next = Exp::Add(Box::new(a.clone()), Box::new(i(1)));
        assert_eq!(
            (text(&next), index(&Bases::default(), &next).text),
            ("add_i64(a, 1)".to_string(), "a + 1".to_string())
        );
        // C would compute this in 32 bits.
        let product = Exp::Mul(Box::new(i(100_000)), Box::new(i(100_000)));
        assert_eq!(index(&Bases::default(), &product).text, "(int64_t)100000 * 100000");
        let chosen = Exp::Select(Prim::I64, Box::new(var("c", Prim::Bool)), Box::new(i(70_000)), Box::new(i(1)));
        let product = Exp::Mul(Box::new(chosen), Box::new(i(70_000)));
        assert_eq!(index(&Bases::default(), &product).text, "(int64_t)(c ? 70000 : 1) * 70000");
        let u = |base| var(base, Prim::U8);
        assert_eq!(text(&bin(BinOp::Add, u("x"), u("y"))), "add_u8(x, y)");
        assert_eq!(text(&bin(BinOp::Add, var("x", Prim::U32), Exp::Const(Scalar::U32(7)))), "x + 7u");
        assert_eq!(text(&cmp(CmpOp::Lt, u("x"), Exp::Const(Scalar::U8(0)))), "lt_u8(x, 0)");
        assert_eq!(text(&bin(BinOp::And, cmp(CmpOp::Eq, a.clone(), b), var("c", Prim::Bool))), "a == b && c");
        assert_eq!(text(&bin(BinOp::And, bin(BinOp::Or, a.clone(), i(1)), a.clone())), "(a | 1) & a");
        assert_eq!(text(&bin(BinOp::Or, bin(BinOp::And, a.clone(), i(1)), a.clone())), "(a & 1) | a");
        assert_eq!(text(&bin(BinOp::Or, bin(BinOp::Or, a.clone(), i(1)), a)), "a | 1 | a");
    }

    #[test]
    fn conversions() {
        let conv = |from, to| text(&Exp::Conv(from, to, Box::new(var("x", from))));
        assert_eq!(conv(Prim::I32, Prim::I64), "(int64_t)x");
        assert_eq!(conv(Prim::I8, Prim::U32), "(uint32_t)(uint8_t)x");
        assert_eq!(conv(Prim::I32, Prim::U32), "(uint32_t)x");
        assert_eq!(conv(Prim::F32, Prim::I32), "f32_to_i32(x)");
        assert_eq!(conv(Prim::F32, Prim::F64), "(double)x");
        assert_eq!(conv(Prim::U8, Prim::Bool), "x != 0");
        assert_eq!(conv(Prim::F16, Prim::F32), "f16_to_f32(x)");
        assert_eq!(conv(Prim::Bool, Prim::F16), "bool_to_f16(x)");
    }

    #[test]
    fn constants() {
        let written = |c| constant(&Needs::default(), c).text;
        assert_eq!(written(Scalar::F32(2.0)), "2.0f");
        assert_eq!(written(Scalar::F32(1e30)), "1e30f");
        assert_eq!(written(Scalar::F64(0.1)), "0.1");
        assert_eq!(written(Scalar::F64(-0.0)), "-0.0");
        assert_eq!(written(Scalar::F32(f32::NEG_INFINITY)), "-INFINITY");
        assert_eq!(written(Scalar::I64(i64::MIN)), "INT64_MIN");
        assert_eq!(written(Scalar::I64(1 << 40)), "INT64_C(1099511627776)");
        assert_eq!(written(Scalar::I32(-3)), "-3");
        assert_eq!(written(Scalar::U64(u64::MAX)), "UINT64_C(18446744073709551615)");
        assert_eq!(written(Scalar::F32(f32::from_bits(0x7fc0_0001))), "from_bits_f32(0x7fc00001u)");
    }

    /// What is written is in the parts that were noted on the way, and nothing else is noted.
    #[test]
    fn parts_are_noted() {
        let needs = |e: &Exp| {
            let names = Bases::default();
            let text = plain(&names, e);
            let parts = [Part::Integer, Part::Bits, Part::Real, Part::Convert, Part::Half];
            (text, parts.into_iter().filter(|part| names.0.has(*part)).collect::<Vec<_>>())
        };
        let [x, y] = ["x", "y"].map(|base| var(base, Prim::I32));
        let real = var("r", Prim::F64);
        let cases = [
            (bin(BinOp::Add, x.clone(), y.clone()), "add_i32(x, y)", vec![Part::Integer]),
            (bin(BinOp::Add, real.clone(), real.clone()), "r + r", vec![]),
            (bin(BinOp::Min, real.clone(), real.clone()), "min_f64(r, r)", vec![Part::Real]),
            (Exp::Const(Scalar::F32(f32::from_bits(0x7fc0_0001))), "from_bits_f32(0x7fc00001u)", vec![Part::Real]),
            (Exp::Conv(Prim::F64, Prim::I32, Box::new(real)), "f64_to_i32(r)", vec![Part::Convert]),
            (Exp::Conv(Prim::I32, Prim::F16, Box::new(x.clone())), "i32_to_f16(x)", vec![Part::Half]),
            (Exp::Math(MathFn::MulHi, Prim::I32, vec![x.clone(), y]), "mul_hi_i32(x, y)", vec![Part::Bits]),
            (
                Exp::Math(MathFn::SizeMul, Prim::I64, vec![Exp::i64(2), Exp::i64(3)]),
                "size_mul_i64(2, 3)",
                vec![Part::Integer],
            ),
            (x, "x", vec![]),
        ];
        for (e, text, parts) in cases {
            assert_eq!(needs(&e), (text.to_string(), parts));
        }
    }
}
