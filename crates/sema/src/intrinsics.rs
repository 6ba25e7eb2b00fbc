//! The members of the module `intrinsics`: everything the language offers that has no definition in the language. The
//! prelude (`crates/sema/prelude/*.fut`) is written on top of them, and a program may name the module too.
//!
//! This is data and lookup only. What an intrinsic means is its `doc`; docs/intrinsics.md is made from this table.
//!
//! Note [What is an intrinsic]. Every later stage has to implement every intrinsic, so a function is written in the
//! prelude whenever that loses nothing. An array function is here for one of three reasons: it is a second-order
//! operator that the optimiser wants to see as such, because it fuses, splits or schedules it by rules of its own; it
//! is a view that costs nothing once memory is laid out, which no loop over elements would be; or it cannot be
//! expressed, as a filter cannot without an array that is not yet initialised. A scalar function is here when hardware
//! or a mathematical library has it and a definition from others would be slower or less precise.
//!
//! So `partition` is two filters by a tag that is computed once, the scatters and histograms of more dimensions go
//! through `flatten`, `rotate` is a map over indices (which fuses), and a logical shift right is a shift of unsigned
//! numbers. `opaque`, `trace` and `break` are attributes.

use kenaz_base::{Id, Prim, define_ids};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::LazyLock;

/// The table, in the order of the documentation.
pub fn all() -> &'static [IntrinsicDef] {
    &DEFS
}

/// The intrinsic that programs call `intrinsics.name`.
pub fn lookup(name: &str) -> Option<IntrinsicId> {
    IDS.get(name).copied()
}

pub fn def(id: IntrinsicId) -> &'static IntrinsicDef {
    &DEFS[id.index()]
}

define_ids! {
    /// An index into [`all`].
    IntrinsicId "intrinsic";
}

#[derive(Debug)]
pub struct IntrinsicDef {
    pub name: String,
    pub intrinsic: Intrinsic,
    /// What it means, in a phrase.
    pub doc: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// An abstract type, as a specification in the language's own syntax.
    Type { op: TypeOp, spec: &'static str },
    /// `t -> t -> t` or `t -> t -> bool`, for every type `t` of a class. Also in scope under its bare name.
    Overloaded(Operator),
    /// A function of primitive values.
    Prim { op: PrimOp, params: SmallVec<[Prim; 3]>, result: Prim },
    /// A polymorphic function, as a specification in the language's own syntax. It may mention other intrinsics.
    Poly { op: PolyOp, spec: &'static str },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeOp {
    Acc,
}

/// The types an overloaded operator works at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The integer and floating-point types.
    Numeric,
    /// The integer types.
    Integral,
    /// The integer types and `bool`.
    IntegralOrBool,
    /// All primitive types.
    Ordered,
    /// All types without functions: primitive types, arrays, records and sums. The only class that is not a list of
    /// primitive types, so nothing is chosen by default when it is all that is known.
    Equality,
    /// `bool` alone.
    Bool,
}

impl Class {
    pub fn contains(self, prim: Prim) -> bool {
        match self {
            Class::Numeric => prim.is_numeric(),
            Class::Integral => prim.is_integer(),
            Class::IntegralOrBool => prim.is_integer() || prim == Prim::Bool,
            Class::Ordered | Class::Equality => true,
            Class::Bool => prim == Prim::Bool,
        }
    }
}

/// The prefix operators are syntax, no members of the module, but they are overloaded in the same way.
pub const NEGATE_CLASS: Class = Class::Numeric;
pub const NOT_CLASS: Class = Class::IntegralOrBool;

macro_rules! operators {
    ($($op:ident $name:literal $class:ident $to_bool:literal $doc:literal;)*) => {
        /// An overloaded infix operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operator { $($op),* }

        impl Operator {
            pub const ALL: &[Operator] = &[$(Operator::$op),*];

            /// Its spelling.
            pub fn name(self) -> &'static str {
                match self { $(Operator::$op => $name),* }
            }

            /// The types of its operands, which are the same.
            pub fn class(self) -> Class {
                match self { $(Operator::$op => Class::$class),* }
            }

            /// Whether the result is a `bool`; otherwise it has the type of the operands.
            pub fn yields_bool(self) -> bool {
                match self { $(Operator::$op => $to_bool),* }
            }

            pub fn doc(self) -> &'static str {
                match self { $(Operator::$op => $doc),* }
            }
        }
    };
}

operators! {
    Add "+" Numeric false "sum, modulo the range for integers";
    Sub "-" Numeric false "difference, modulo the range for integers";
    Mul "*" Numeric false "product, modulo the range for integers";
    Div "/" Numeric false "quotient; of integers rounded down, with an error for the divisor 0";
    Mod "%" Numeric false "remainder; of integers the one that goes with `/`, of others with the sign of the dividend";
    Pow "**" Numeric false "power; a negative exponent of an integer is an error";
    Quot "//" Integral false "quotient rounded towards zero, with an error for the divisor 0";
    Rem "%%" Integral false "remainder that goes with `//`";
    And "&" Integral false "bitwise and";
    Or "|" Integral false "bitwise or";
    Xor "^" Integral false "bitwise exclusive or";
    Shl "<<" Integral false "shift left; unspecified if the distance is negative or not less than the number of bits";
    Shr ">>" Integral false "shift right, of signed types with their sign; distances as for `<<`";
    Eq "==" Equality true "equality of values";
    Neq "!=" Equality true "the opposite of `==`";
    Lt "<" Ordered true "order; false is less than true, and every comparison with a NaN is false";
    Le "<=" Ordered true "likewise";
    Gt ">" Ordered true "likewise";
    Ge ">=" Ordered true "likewise";
    LogAnd "&&" Bool true "and; where it stands between operands, the right one is evaluated only if it matters";
    LogOr "||" Bool true "or; likewise";
}

const SIGNED: &[Prim] = &[Prim::I8, Prim::I16, Prim::I32, Prim::I64];
const UNSIGNED: &[Prim] = &[Prim::U8, Prim::U16, Prim::U32, Prim::U64];
const FLOATS: &[Prim] = &[Prim::F16, Prim::F32, Prim::F64];
/// The types that mathematical libraries know. The prelude computes these functions in `f32` for `f16`.
const LIBM: &[Prim] = &[Prim::F32, Prim::F64];

/// Parameters and result of a family of functions, one for each type `t` of a list.
#[derive(Clone, Copy)]
enum Shape {
    /// `t -> t`
    Unary,
    /// `t -> t -> t`
    Binary,
    /// `t -> t -> t -> t`
    Ternary,
    /// `t -> i32`
    Count,
    /// `t -> i32 -> t`
    Scale,
    /// `t -> bits t`, where `bits t` is the unsigned type with as many bits
    ToBits,
    /// `bits t -> t`
    FromBits,
}

macro_rules! prim_ops {
    ($($op:ident $name:literal $shape:ident [$($types:ident)*] $doc:literal;)*) => {
        /// A function of primitive values. The types of its parameters and result are part of what it computes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PrimOp { Convert, $($op),* }

        /// All but the conversions: operation, name before `_type`, shape, types, meaning.
        const FAMILIES: &[(PrimOp, &str, Shape, &[&[Prim]], &str)] =
            &[$((PrimOp::$op, $name, Shape::$shape, &[$($types),*], $doc)),*];
    };
}

prim_ops! {
    Max "max" Binary [SIGNED UNSIGNED FLOATS] "the greater; of a NaN and a number the number";
    Min "min" Binary [SIGNED UNSIGNED FLOATS] "the smaller; of a NaN and a number the number";
    Abs "abs" Unary [SIGNED FLOATS] "absolute value, modulo the range";
    Popc "popc" Count [SIGNED UNSIGNED] "number of bits that are set";
    Clz "clz" Count [SIGNED UNSIGNED] "number of leading zeros; all bits for 0";
    Ctz "ctz" Count [SIGNED UNSIGNED] "number of trailing zeros; all bits for 0";
    MulHi "mul_hi" Binary [SIGNED UNSIGNED] "upper half of the product with twice as many bits";
    ToBits "to_bits" ToBits [FLOATS] "the representation";
    FromBits "from_bits" FromBits [FLOATS] "the number with this representation";
    Ceil "ceil" Unary [FLOATS] "round up to an integer";
    Floor "floor" Unary [FLOATS] "round down to an integer";
    Trunc "trunc" Unary [FLOATS] "round towards zero to an integer";
    Round "round" Unary [FLOATS] "round to the nearest integer, from the middle to the even one";
    Fma "fma" Ternary [FLOATS] "`a * b + c`, rounded once";
    Sqrt "sqrt" Unary [FLOATS] "square root";
    Rsqrt "rsqrt" Unary [FLOATS] "one divided by the square root; rounded once or twice";
    Cbrt "cbrt" Unary [LIBM] "cubic root";
    Hypot "hypot" Binary [LIBM] "square root of the sum of squares, without overflow on the way";
    Exp "exp" Unary [LIBM] "power of e";
    Log "log" Unary [LIBM] "natural logarithm";
    Log2 "log2" Unary [LIBM] "logarithm to base 2";
    Log10 "log10" Unary [LIBM] "logarithm to base 10";
    Log1p "log1p" Unary [LIBM] "natural logarithm of the number plus one";
    Sin "sin" Unary [LIBM] "sine";
    Cos "cos" Unary [LIBM] "cosine";
    Tan "tan" Unary [LIBM] "tangent";
    Asin "asin" Unary [LIBM] "inverse sine";
    Acos "acos" Unary [LIBM] "inverse cosine";
    Atan "atan" Unary [LIBM] "inverse tangent";
    Atan2 "atan2" Binary [LIBM] "`atan2 y x`: angle of the point (x, y)";
    Sinh "sinh" Unary [LIBM] "hyperbolic sine";
    Cosh "cosh" Unary [LIBM] "hyperbolic cosine";
    Tanh "tanh" Unary [LIBM] "hyperbolic tangent";
    Asinh "asinh" Unary [LIBM] "inverse hyperbolic sine";
    Acosh "acosh" Unary [LIBM] "inverse hyperbolic cosine";
    Atanh "atanh" Unary [LIBM] "inverse hyperbolic tangent";
    Gamma "gamma" Unary [LIBM] "gamma function";
    Lgamma "lgamma" Unary [LIBM] "logarithm of the absolute value of the gamma function";
    Erf "erf" Unary [LIBM] "error function";
    Erfc "erfc" Unary [LIBM] "one minus the error function";
    Copysign "copysign" Binary [LIBM] "absolute value of the first with the sign of the second";
    Ldexp "ldexp" Scale [LIBM] "the number times two to the power of the integer, rounded once";
}

const CONVERT_DOC: &str = "convert: true is one; integers modulo the range of the result; to floats the nearest; \
                           floats to integers towards zero, infinities and NaN to 0, others out of range see \
                           [differences.md](differences.md)";

macro_rules! poly_ops {
    ($($op:ident $name:literal $spec:literal $doc:literal;)*) => {
        /// A polymorphic function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PolyOp { $($op),* }

        const POLY_OPS: &[(PolyOp, &str, &str, &str)] = &[$((PolyOp::$op, $name, $spec, $doc)),*];
    };
}

poly_ops! {
    Map "map" "val map 'a 'x [n] : (a -> x) -> [n]a -> *[n]x"
        "apply the function to every element";
    Zip "zip" "val zip 'a 'b [n] : [n]a -> [n]b -> *[n](a, b)"
        "pair the elements";
    Reduce "reduce" "val reduce 'a [n] : (a -> a -> a) -> a -> [n]a -> a"
        "combine all elements in order with an associative operator that has this neutral element";
    ReduceComm "reduce_comm" "val reduce_comm 'a [n] : (a -> a -> a) -> a -> [n]a -> a"
        "likewise in any order; the operator commutes";
    Scan "scan" "val scan 'a [n] : (a -> a -> a) -> a -> [n]a -> *[n]a"
        "inclusive prefix combination, as for `reduce`";
    Filter "filter" "val filter 'a [n] : (a -> bool) -> [n]a -> ?[d].*[d]a"
        "the elements for which the function holds, in their order";
    Scatter "scatter" "val scatter 't [k] [n] : *[k]t -> [n]i64 -> [n]t -> *[k]t"
        "write the values at the indices; out of bounds is ignored, of several at one index any wins";
    ReduceByIndex "reduce_by_index"
        "val reduce_by_index 'a [k] [n] : *[k]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[k]a"
        "combine the values into what is at the indices, by an operator as for `reduce_comm`; out of bounds is ignored";
    Replicate "replicate" "val replicate 't : (n: i64) -> t -> *[n]t"
        "as many times the value; a negative size is an error";
    Concat "concat" "val concat 't [n] [m] : [n]t -> [m]t -> *[n + m]t"
        "one array after the other";
    Flatten "flatten" "val flatten 't [n] [m] : [n][m]t -> [n * m]t"
        "join the two outermost dimensions";
    Unflatten "unflatten" "val unflatten 't : (n: i64) -> (m: i64) -> [n * m]t -> [n][m]t"
        "split the outermost dimension; a negative size is an error";
    Transpose "transpose" "val transpose 't [n] [m] : [n][m]t -> [m][n]t"
        "exchange the two outermost dimensions";
    Copy "copy" "val copy '~t : t -> *t"
        "the same value, aliasing nothing";
    Manifest "manifest" "val manifest 't : t -> *t"
        "likewise, with every array in memory in row-major order; never removed";
    Jvp2 "jvp2" "val jvp2 'a 'b : (a -> b) -> a -> a -> (b, b)"
        "the function's value, and its derivative along the third argument, by forward-mode differentiation";
    Vjp2 "vjp2" "val vjp2 'a 'b : (a -> b) -> a -> b -> (b, a)"
        "the function's value, and the derivative weighted by the third argument, by reverse-mode differentiation";
    ScatterStream "scatter_stream"
        "val scatter_stream 'a 'b [k] [n] : *[k]a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a"
        "call the function for every element; an `acc_write` in it overwrites, as in `scatter`";
    HistStream "hist_stream"
        "val hist_stream 'a 'b [k] [n] : \
         *[k]a -> (a -> a -> a) -> a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a"
        "likewise; an `acc_write` in it combines, as in `reduce_by_index`";
    AccWrite "acc_write" "val acc_write 'a [k] : *acc ([k]a) -> i64 -> a -> *acc ([k]a)"
        "write the value at the index; out of bounds is ignored";
    FlatIndex2d "flat_index_2d"
        "val flat_index_2d 'a [n] : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[k][l].[k][l]a"
        "`flat_index_2d a o n1 s1 n2 s2` has `a[o + i * s1 + j * s2]` at `[i, j]`; out of bounds is an error";
    FlatIndex3d "flat_index_3d"
        "val flat_index_3d 'a [n] : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[k][l][p].[k][l][p]a"
        "likewise";
    FlatIndex4d "flat_index_4d"
        "val flat_index_4d 'a [n] : \
         [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[k][l][p][q].[k][l][p][q]a"
        "likewise";
    FlatUpdate2d "flat_update_2d" "val flat_update_2d 'a [n] [k] [l] : *[n]a -> i64 -> i64 -> i64 -> [k][l]a -> *[n]a"
        "`flat_update_2d a o s1 s2 v` has `v[i, j]` at `[o + i * s1 + j * s2]`; out of bounds is an error";
    FlatUpdate3d "flat_update_3d"
        "val flat_update_3d 'a [n] [k] [l] [p] : *[n]a -> i64 -> i64 -> i64 -> i64 -> [k][l][p]a -> *[n]a"
        "likewise";
    FlatUpdate4d "flat_update_4d"
        "val flat_update_4d 'a [n] [k] [l] [p] [q] : *[n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> [k][l][p][q]a -> *[n]a"
        "likewise";
}

const ACC_SPEC: &str = "type~ acc 't";
const ACC_DOC: &str = "a destination of type `t` under construction, which can be written and not read";

static DEFS: LazyLock<Vec<IntrinsicDef>> = LazyLock::new(define);

static IDS: LazyLock<FxHashMap<&'static str, IntrinsicId>> = LazyLock::new(|| {
    all().iter().enumerate().map(|(index, def)| (def.name.as_str(), IntrinsicId::from_index(index))).collect()
});

fn define() -> Vec<IntrinsicDef> {
    let mut defs = Vec::with_capacity(400);
    let mut add = |name: String, intrinsic, doc| defs.push(IntrinsicDef { name, intrinsic, doc });

    add("acc".to_owned(), Intrinsic::Type { op: TypeOp::Acc, spec: ACC_SPEC }, ACC_DOC);
    for &op in Operator::ALL {
        add(op.name().to_owned(), Intrinsic::Overloaded(op), op.doc());
    }
    for from in Prim::ALL {
        for to in Prim::ALL.into_iter().filter(|&to| to != from && to.is_numeric()) {
            let convert = Intrinsic::Prim { op: PrimOp::Convert, params: smallvec![from], result: to };
            add(format!("{}_to_{}", from.name(), to.name()), convert, CONVERT_DOC);
        }
    }
    for &(op, name, shape, types, doc) in FAMILIES {
        for &t in types.iter().copied().flatten() {
            let (params, result) = signature(shape, t);
            add(format!("{name}_{}", t.name()), Intrinsic::Prim { op, params, result }, doc);
        }
    }
    for &(op, name, spec, doc) in POLY_OPS {
        add(name.to_owned(), Intrinsic::Poly { op, spec }, doc);
    }
    defs
}

fn signature(shape: Shape, t: Prim) -> (SmallVec<[Prim; 3]>, Prim) {
    match shape {
        Shape::Unary => (smallvec![t], t),
        Shape::Binary => (smallvec![t, t], t),
        Shape::Ternary => (smallvec![t, t, t], t),
        Shape::Count => (smallvec![t], Prim::I32),
        Shape::Scale => (smallvec![t, Prim::I32], t),
        Shape::ToBits => (smallvec![t], bits_of(t)),
        Shape::FromBits => (smallvec![bits_of(t)], t),
    }
}

fn bits_of(float: Prim) -> Prim {
    match float {
        Prim::F16 => Prim::U16,
        Prim::F32 => Prim::U32,
        Prim::F64 => Prim::U64,
        other => unreachable!("{} is no floating-point type", other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::path::Path;

    fn in_crate(path: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    #[test]
    fn names_are_unique_and_found() {
        for (index, def) in all().iter().enumerate() {
            assert_eq!(lookup(&def.name).map(Id::index), Some(index), "{}", def.name);
            assert_eq!(super::def(lookup(&def.name).unwrap()).name, def.name);
        }
        assert_eq!(lookup("sum"), None);
    }

    #[test]
    fn counts() {
        let count = |f: fn(&Intrinsic) -> bool| all().iter().filter(|def| f(&def.intrinsic)).count();
        assert_eq!(count(|i| matches!(i, Intrinsic::Type { .. })), 1);
        assert_eq!(count(|i| matches!(i, Intrinsic::Overloaded(_))), 21);
        assert_eq!(count(|i| matches!(i, Intrinsic::Prim { op: PrimOp::Convert, .. })), 11 * 10 + 11);
        // min and max, abs, four of integers, nine of all floats, 26 of a mathematical library.
        assert_eq!(
            count(|i| matches!(i, Intrinsic::Prim { op, .. } if *op != PrimOp::Convert)),
            2 * 11 + 7 + 4 * 8 + 9 * 3 + 26 * 2
        );
        assert_eq!(count(|i| matches!(i, Intrinsic::Poly { .. })), 26);
    }

    #[test]
    fn specifications_name_what_they_specify() {
        for def in all() {
            match def.intrinsic {
                Intrinsic::Type { spec, .. } => assert!(spec.starts_with(&format!("type~ {} ", def.name))),
                Intrinsic::Poly { spec, .. } => assert!(spec.starts_with(&format!("val {} '", def.name)), "{spec}"),
                Intrinsic::Overloaded(_) | Intrinsic::Prim { .. } => {}
            }
        }
    }

    /// The prelude uses every intrinsic, except for the operators, which need no module, and those that only programs
    /// name; and it uses no other.
    #[test]
    fn the_prelude_uses_what_is_here() {
        let only_for_programs = |name: &str| {
            name.starts_with("flat_") || matches!(name, "acc" | "acc_write" | "scatter_stream" | "hist_stream")
        };
        let expected: BTreeSet<&str> = all()
            .iter()
            .filter(|def| !matches!(def.intrinsic, Intrinsic::Overloaded(_)) && !only_for_programs(&def.name))
            .map(|def| def.name.as_str())
            .collect();
        let mut used = BTreeSet::new();
        for entry in std::fs::read_dir(in_crate("prelude")).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for rest in text.split("intrinsics.").skip(1) {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                used.insert(rest[..end].to_owned());
            }
        }
        let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
        assert_eq!(used.difference(&expected).next(), None, "used in the prelude, not in the table");
        assert_eq!(expected.difference(&used).next(), None, "in the table, not used in the prelude");
    }

    #[test]
    fn documentation_is_up_to_date() {
        let path = in_crate("../../docs/intrinsics.md");
        let expected = documentation();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == expected, "docs/intrinsics.md is not what the table says; run this test with BLESS=1");
    }

    /// The text of docs/intrinsics.md.
    fn documentation() -> String {
        let mut out = String::from(HEADER);
        let family = |types: &[&[Prim]]| -> String {
            types.iter().copied().flatten().map(|t| t.name()).collect::<Vec<_>>().join(",")
        };

        out.push_str("\n## Operators\n\n| name | operands | result | meaning |\n|---|---|---|---|\n");
        for op in Operator::ALL {
            let operands = match op.class() {
                Class::Numeric => "numeric",
                Class::Integral => "integral",
                Class::IntegralOrBool => "integral or `bool`",
                Class::Ordered => "primitive",
                Class::Equality => "without functions",
                Class::Bool => "`bool`",
            };
            let name = op.name().replace('|', "\\|");
            let result = if op.yields_bool() { "`bool`" } else { "the same" };
            writeln!(out, "| `{name}` | {operands} | {result} | {} |", op.doc()).unwrap();
        }

        out.push_str("\n## Primitive functions\n\n| names | type | meaning |\n|---|---|---|\n");
        let prims = Prim::ALL.map(Prim::name).join(",");
        writeln!(out, "| `{{{prims}}}_to_u`, for another numeric type `u` | `t -> u` | {CONVERT_DOC} |").unwrap();
        for &(_, name, shape, types, doc) in FAMILIES {
            let shape = match shape {
                Shape::Unary => "t -> t",
                Shape::Binary => "t -> t -> t",
                Shape::Ternary => "t -> t -> t -> t",
                Shape::Count => "t -> i32",
                Shape::Scale => "t -> i32 -> t",
                Shape::ToBits => "t -> unsigned",
                Shape::FromBits => "unsigned -> t",
            };
            writeln!(out, "| `{name}_{{{}}}` | `{shape}` | {doc} |", family(types)).unwrap();
        }

        out.push_str("\n## Types and polymorphic functions\n\n");
        writeln!(out, "- `{ACC_SPEC}`\\\n  {ACC_DOC}").unwrap();
        for (_, _, spec, doc) in POLY_OPS {
            writeln!(out, "- `{spec}`\\\n  {doc}").unwrap();
        }
        out
    }

    const HEADER: &str = "\
# Intrinsics

The members of the module `intrinsics`: what the language offers and the prelude cannot define. This page is made from
the table in `crates/sema/src/intrinsics.rs`, which also says by what rule a function becomes an intrinsic. A test holds
them equal, and `BLESS=1 cargo test -p kenaz-sema intrinsics` rewrites the page.

In a name `{a,b}` stands for one name with `a` and one with `b`, and in the type beside it `t` for the type in the name.
Besides these there is syntax that needs no name: prefix `-` at numeric types, prefix `!` at integral types and `bool`,
ranges, slices, literals and the attributes `#[opaque]`, `#[trace]` and `#[break]`.
";
}
