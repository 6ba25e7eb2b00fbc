-- | The module types of numbers. The modules of the primitive types have them; programs use them to be parametric in
-- the kind of number.

-- | Types to which every primitive value can be converted: true is one, integers are taken modulo the range of the
-- result, and floating-point numbers are rounded towards zero. An infinity or NaN becomes the integer zero; any other
-- number out of the range of an integer type becomes an unspecified integer.
module type from_prim = {
  type t

  val i8: i8 -> t
  val i16: i16 -> t
  val i32: i32 -> t
  val i64: i64 -> t
  val u8: u8 -> t
  val u16: u16 -> t
  val u32: u32 -> t
  val u64: u64 -> t
  val f16: f16 -> t
  val f32: f32 -> t
  val f64: f64 -> t
  val bool: bool -> t
}

-- | Numbers of any kind.
module type numeric = {
  include from_prim

  -- | Sum.
  val (+): t -> t -> t
  -- | Difference.
  val (-): t -> t -> t
  -- | Product.
  val (*): t -> t -> t
  -- | Division. Integers are rounded down, and a division of integers by zero is an error.
  val (/): t -> t -> t
  -- | Remainder. For integers it goes with `/` and has the sign of the divisor; for others that of the dividend.
  val (%): t -> t -> t
  -- | Power. A negative exponent of an integer is an error.
  val (**): t -> t -> t

  -- | Conversion to `i64`, as by the function of this type's name in module `i64`.
  val to_i64: t -> i64

  -- | Equality; a NaN equals nothing, not even itself.
  val (==): t -> t -> bool
  -- | Less. This and the other comparisons of order are false for a NaN.
  val (<): t -> t -> bool
  -- | Greater.
  val (>): t -> t -> bool
  -- | Less or equal.
  val (<=): t -> t -> bool
  -- | Greater or equal.
  val (>=): t -> t -> bool
  -- | The opposite of `==`.
  val (!=): t -> t -> bool

  -- | The number with the other sign, modulo the range for an integer type.
  val neg: t -> t
  -- | The greater number. If one is NaN, the other.
  val max: t -> t -> t
  -- | The smaller number. If one is NaN, the other.
  val min: t -> t -> t
  -- | The absolute value. The least signed integer has none and is returned as it is.
  val abs: t -> t
  -- | The sign: -1, 0 or 1. A NaN or zero is returned as it is.
  val sgn: t -> t

  -- | The greatest value of the type, infinity for a floating-point type.
  val highest: t
  -- | The least value of the type, negative infinity for a floating-point type.
  val lowest: t

  -- | The sum of the elements, zero when there are none.
  val sum [n]: [n]t -> t
  -- | The product of the elements, one when there are none.
  val product [n]: [n]t -> t
  -- | The greatest element, `lowest` when there are none.
  val maximum [n]: [n]t -> t
  -- | The least element, `highest` when there are none.
  val minimum [n]: [n]t -> t
}

-- | Integers of a fixed number of bits. Arithmetic is modulo the range of the type.
module type integral = {
  include numeric

  -- | Division rounded towards zero.
  val (//): t -> t -> t
  -- | The remainder that goes with `//`; it has the sign of the dividend.
  val (%%): t -> t -> t

  -- | Bitwise and.
  val (&): t -> t -> t
  -- | Bitwise or.
  val (|): t -> t -> t
  -- | Bitwise exclusive or.
  val (^): t -> t -> t
  -- | All bits inverted.
  val not: t -> t

  -- | Shift left. The shifts are unspecified for a distance that is negative or not less than `num_bits`.
  val (<<): t -> t -> t
  -- | Shift right; a signed type keeps its sign.
  val (>>): t -> t -> t
  -- | Shift right, with zeros coming in.
  val (>>>): t -> t -> t

  -- | The number of bits of the type.
  val num_bits: i32
  -- | `get_bit i x` is bit `i` of `x`, where bit 0 is the least significant.
  val get_bit: i32 -> t -> i32
  -- | `set_bit i x b` is `x` with bit `i` replaced by `b`, which must be 0 or 1.
  val set_bit: i32 -> t -> i32 -> t
  -- | The number of bits that are set.
  val popc: t -> i32
  -- | The upper half of the product, as if computed with twice as many bits.
  val mul_hi: (x: t) -> (y: t) -> t
  -- | `mul_hi a b + c`.
  val mad_hi: (a: t) -> (b: t) -> (c: t) -> t
  -- | The number of zeros in front of the first bit that is set, counted from the most significant.
  val clz: t -> i32
  -- | The number of zeros behind the last bit that is set.
  val ctz: t -> i32
}

-- | Approximations of the real numbers. Angles are in radians, except that the functions with names ending in `pi` take
-- or return them in multiples of pi.
module type real = {
  include numeric

  -- | One divided by the number.
  val recip: t -> t
  -- | `from_fraction p q` is `p / q`.
  val from_fraction: i64 -> i64 -> t
  -- | Conversion to `f64`.
  val to_f64: t -> f64

  -- | Square root.
  val sqrt: t -> t
  -- | One divided by the square root.
  val rsqrt: t -> t
  -- | Cubic root.
  val cbrt: t -> t
  -- | The power of e with this exponent.
  val exp: t -> t

  -- | Sine.
  val sin: t -> t
  -- | Cosine.
  val cos: t -> t
  -- | Tangent.
  val tan: t -> t
  -- | Sine of a multiple of pi.
  val sinpi: t -> t
  -- | Cosine of a multiple of pi.
  val cospi: t -> t
  -- | Tangent of a multiple of pi.
  val tanpi: t -> t
  -- | Inverse sine.
  val asin: t -> t
  -- | Inverse cosine.
  val acos: t -> t
  -- | Inverse tangent.
  val atan: t -> t
  -- | Inverse sine, as a multiple of pi.
  val asinpi: t -> t
  -- | Inverse cosine, as a multiple of pi.
  val acospi: t -> t
  -- | Inverse tangent, as a multiple of pi.
  val atanpi: t -> t
  -- | Hyperbolic sine.
  val sinh: t -> t
  -- | Hyperbolic cosine.
  val cosh: t -> t
  -- | Hyperbolic tangent.
  val tanh: t -> t
  -- | Inverse hyperbolic sine.
  val asinh: t -> t
  -- | Inverse hyperbolic cosine.
  val acosh: t -> t
  -- | Inverse hyperbolic tangent.
  val atanh: t -> t
  -- | `atan2 y x` is the angle of the point `(x, y)`.
  val atan2: t -> t -> t
  -- | As `atan2`, as a multiple of pi.
  val atan2pi: t -> t -> t

  -- | The length of the hypotenuse over these sides, without overflow on the way.
  val hypot: t -> t -> t
  -- | The gamma function.
  val gamma: t -> t
  -- | The logarithm of the absolute value of the gamma function.
  val lgamma: t -> t
  -- | The error function.
  val erf: t -> t
  -- | One minus the error function.
  val erfc: t -> t
  -- | `lerp a b x` goes in a line from `a`, when `x` is 0, to `b`, when it is 1.
  val lerp: t -> t -> t -> t

  -- | Natural logarithm.
  val log: t -> t
  -- | Logarithm to base 2.
  val log2: t -> t
  -- | Logarithm to base 10.
  val log10: t -> t
  -- | `log (1 + x)`, precise for small `x`.
  val log1p: t -> t

  -- | Round up to an integer.
  val ceil: t -> t
  -- | Round down to an integer.
  val floor: t -> t
  -- | Round towards zero to an integer.
  val trunc: t -> t
  -- | Round to the nearest integer, and what lies in the middle to the even one.
  val round: t -> t

  -- | `a * b + c`, rounded once or twice, whichever is faster.
  val mad: (a: t) -> (b: t) -> (c: t) -> t
  -- | `a * b + c`, rounded once.
  val fma: (a: t) -> (b: t) -> (c: t) -> t

  -- | Whether the number is an infinity.
  val isinf: t -> bool
  -- | Whether the value is not a number.
  val isnan: t -> bool
  -- | Positive infinity.
  val inf: t
  -- | A value that is not a number.
  val nan: t
  -- | The circumference of a circle divided by its diameter.
  val pi: t
  -- | The base of the natural logarithm.
  val e: t
}

-- | Floating-point numbers in the formats of IEEE 754.
module type float = {
  include real

  -- | The unsigned integer type with as many bits.
  type int_t

  -- | The number with this representation.
  val from_bits: int_t -> t
  -- | The representation of a number.
  val to_bits: t -> int_t
  -- | The number of bits of the type.
  val num_bits: i32
  -- | `get_bit i x` is bit `i` of the representation of `x`, where bit 0 is the least significant.
  val get_bit: i32 -> t -> i32
  -- | `set_bit i x b` is `x` with bit `i` of its representation replaced by `b`, which must be 0 or 1.
  val set_bit: i32 -> t -> i32 -> t
  -- | The distance from 1 to the next greater number.
  val epsilon: t
  -- | The next number after `x` in the direction of `y`, or `y` if they are equal.
  val nextafter: (x: t) -> (y: t) -> t
  -- | `ldexp x n` is `x` times two to the power of `n`.
  val ldexp: t -> i32 -> t
  -- | The absolute value of `x` with the sign of `y`.
  val copysign: (x: t) -> (y: t) -> t
}
