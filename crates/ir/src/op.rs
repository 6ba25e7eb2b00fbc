//! The operations on scalars. Signedness and width are those of the operands' types.

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
        /// The result for a negative distance, or one not below the width, is unspecified but defined: all bits shifted out.
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
    /// Functions of mathematics and of bits, over operands of one type `t`, with a result of type `t` unless said otherwise.
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
        Ldexp "ldexp";
        Copysign "copysign";
        Nextafter "nextafter";
        /// The bits of a float, as an unsigned integer of its width.
        ToBits "to_bits";
        /// The float with the bits of an unsigned integer; `t` is the type of the float.
        FromBits "from_bits";
    }
}
