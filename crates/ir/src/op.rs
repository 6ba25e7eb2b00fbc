//! The operations on scalars. Signedness and width are those of the operands' types.

use kenaz_base::Prim;

macro_rules! ops {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $text:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// As it is written in the text form.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            pub fn from_text(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|op| op.text() == text)
            }
        }
    };
}

ops! {
    /// Operations with one operand, of its type.
    UnOp {
        /// Numbers; integers wrap around.
        Neg "neg";
        /// Booleans, or the bits of an integer.
        Not "not";
        /// Numbers; the smallest signed integer stays what it is.
        Abs "abs";
        /// Numbers: -1, 0 or 1; NaN and negative zero stay what they are.
        Sgn "sgn";
    }
}

ops! {
    /// Operations with two operands of one type, which is that of the result. Integers wrap around.
    BinOp {
        Add "add";
        Sub "sub";
        Mul "mul";
        /// Integers round towards negative infinity; the divisor must not be zero.
        Div "div";
        /// The remainder of `div`: the sign of the divisor for integers; for floats that of C's `fmod`.
        Mod "mod";
        /// Integers, rounding towards zero; the divisor must not be zero.
        Quot "quot";
        /// The remainder of `quot`.
        Rem "rem";
        /// The exponent of an integer power must not be negative.
        Pow "pow";
        Min "min";
        Max "max";
        /// Integers and booleans.
        And "and";
        Or "or";
        Xor "xor";
        /// The result for a negative distance, or one not below the width, is unspecified but defined: all bits shifted
        /// out.
        Shl "shl";
        /// Arithmetic for signed integers, logical for unsigned ones.
        Shr "shr";
    }
}

ops! {
    /// Comparisons of two operands of one type.
    CmpOp {
        Eq "eq";
        Ne "ne";
        Lt "lt";
        Le "le";
        Gt "gt";
        Ge "ge";
    }
}

ops! {
    /// Functions of mathematics and of bits, over operands of one type `t`, with a result of type `t` unless said
    /// otherwise.
    MathFn {
        // Integers
        /// The number of one bits, as `i32`.
        Popc "popc";
        /// The number of leading zero bits, as `i32`.
        Clz "clz";
        /// The number of trailing zero bits, as `i32`.
        Ctz "ctz";
        /// The upper half of the product.
        MulHi "mul_hi";
        /// The product of two sizes, of type `i64`: 0 if one of them is negative, and the largest number if it is too
        /// large.
        SizeMul "size_mul";
        // Floats
        Sqrt "sqrt";
        Rsqrt "rsqrt";
        Cbrt "cbrt";
        Exp "exp";
        Log "log";
        Log2 "log2";
        Log10 "log10";
        Log1p "log1p";
        Sin "sin";
        Cos "cos";
        Tan "tan";
        Asin "asin";
        Acos "acos";
        Atan "atan";
        Sinh "sinh";
        Cosh "cosh";
        Tanh "tanh";
        Asinh "asinh";
        Acosh "acosh";
        Atanh "atanh";
        Atan2 "atan2";
        Hypot "hypot";
        Gamma "gamma";
        Lgamma "lgamma";
        Erf "erf";
        Erfc "erfc";
        Ceil "ceil";
        Floor "floor";
        Trunc "trunc";
        /// To the nearest, ties to even.
        Round "round";
        /// `a * b + c`, rounded once.
        Fma "fma";
        /// `a * 2^b`, where `b` is an `i32`.
        Ldexp "ldexp";
        Copysign "copysign";
        Nextafter "nextafter";
        /// The bits of a float, as an unsigned integer of its width.
        ToBits "to_bits";
        /// The float with the bits of an unsigned integer; `t` is the type of the float.
        FromBits "from_bits";
    }
}

impl UnOp {
    /// Whether there is this operation on values of the type.
    pub fn allows(self, prim: Prim) -> bool {
        match self {
            UnOp::Neg | UnOp::Abs | UnOp::Sgn => prim != Prim::Bool,
            UnOp::Not => !prim.is_float(),
        }
    }
}

impl BinOp {
    /// Whether there is this operation on values of the type.
    pub fn allows(self, prim: Prim) -> bool {
        match self {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::Pow | BinOp::Min | BinOp::Max => {
                prim != Prim::Bool
            }
            BinOp::Quot | BinOp::Rem | BinOp::Shl | BinOp::Shr => prim.is_integer(),
            BinOp::And | BinOp::Or | BinOp::Xor => !prim.is_float(),
        }
    }

    /// Whether the order of the operands does not matter.
    pub fn commutes(self) -> bool {
        match self {
            BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor => true,
            BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow | BinOp::Shl | BinOp::Shr => {
                false
            }
        }
    }
}

impl MathFn {
    /// Whether it takes a few instructions on a type, and no function of a library.
    pub fn is_instruction(self, t: Prim) -> bool {
        !t.is_float()
            || matches!(
                self,
                MathFn::Sqrt
                    | MathFn::Rsqrt
                    | MathFn::Ceil
                    | MathFn::Floor
                    | MathFn::Trunc
                    | MathFn::Round
                    | MathFn::Fma
                    | MathFn::Copysign
                    | MathFn::ToBits
                    | MathFn::FromBits
            )
    }

    /// The types of the operands and of the result for the type `t`, if there is the function on it.
    pub fn signature(self, t: Prim) -> Option<(Vec<Prim>, Prim)> {
        let unsigned = match t {
            Prim::F16 => Prim::U16,
            Prim::F32 => Prim::U32,
            Prim::F64 => Prim::U64,
            other => other,
        };
        let (is_defined, args, result) = match self {
            MathFn::Popc | MathFn::Clz | MathFn::Ctz => (t.is_integer(), vec![t], Prim::I32),
            MathFn::MulHi => (t.is_integer(), vec![t, t], t),
            MathFn::SizeMul => (t == Prim::I64, vec![t, t], t),
            MathFn::Sqrt
            | MathFn::Rsqrt
            | MathFn::Cbrt
            | MathFn::Exp
            | MathFn::Log
            | MathFn::Log2
            | MathFn::Log10
            | MathFn::Log1p
            | MathFn::Sin
            | MathFn::Cos
            | MathFn::Tan
            | MathFn::Asin
            | MathFn::Acos
            | MathFn::Atan
            | MathFn::Sinh
            | MathFn::Cosh
            | MathFn::Tanh
            | MathFn::Asinh
            | MathFn::Acosh
            | MathFn::Atanh
            | MathFn::Gamma
            | MathFn::Lgamma
            | MathFn::Erf
            | MathFn::Erfc
            | MathFn::Ceil
            | MathFn::Floor
            | MathFn::Trunc
            | MathFn::Round => (t.is_float(), vec![t], t),
            MathFn::Atan2 | MathFn::Hypot | MathFn::Copysign | MathFn::Nextafter => (t.is_float(), vec![t, t], t),
            MathFn::Fma => (t.is_float(), vec![t, t, t], t),
            MathFn::Ldexp => (t.is_float(), vec![t, Prim::I32], t),
            MathFn::ToBits => (t.is_float(), vec![t], unsigned),
            MathFn::FromBits => (t.is_float(), vec![unsigned], t),
        };
        is_defined.then_some((args, result))
    }
}
