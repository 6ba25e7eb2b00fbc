-- | One module per floating-point type. What the names mean is documented on `float`.
--
-- Operators are overloaded only until they are defined, so what uses one at another type than `t` stands before that.

import "soacs"
import "numeric"
import "integers"

-- | The floating-point numbers of 32 bits.
module f32 : (float with t = f32 with int_t = u32) = {
  type t = f32
  type int_t = u32

  def from_bits = intrinsics.from_bits_f32
  def to_bits = intrinsics.to_bits_f32
  def num_bits : i32 = 32
  def get_bit (bit: i32) (x: t) : i32 = u32.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: t) (b: i32) : t = from_bits (u32.set_bit bit (to_bits x) b)

  def i8 = intrinsics.i8_to_f32
  def i16 = intrinsics.i16_to_f32
  def i32 = intrinsics.i32_to_f32
  def i64 = intrinsics.i64_to_f32
  def u8 = intrinsics.u8_to_f32
  def u16 = intrinsics.u16_to_f32
  def u32 = intrinsics.u32_to_f32
  def u64 = intrinsics.u64_to_f32
  def f16 = intrinsics.f16_to_f32
  def f32 (x: f32) : t = x
  def f64 = intrinsics.f64_to_f32
  def bool = intrinsics.bool_to_f32
  def to_i64 = intrinsics.f32_to_i64

  def inf : t = from_bits 0x7f800000
  def nan : t = from_bits 0x7fc00000
  def pi : t = 3.14159265358979323846
  def e : t = 2.71828182845904523536
  def epsilon : t = 1.1920929e-7
  def highest : t = inf
  def lowest : t = -inf

  def copysign = intrinsics.copysign_f32
  def nextafter (x: t) (y: t) : t =
    if x != x || y != y then nan
    else if x == y then y
    else if x == 0 then copysign (from_bits 1) y
    else from_bits (if (x < y) == (x > 0) then to_bits x + 1 else to_bits x - 1)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def isinf (x: t) : bool = x == inf || x == lowest
  def isnan (x: t) : bool = x != x

  def neg (x: t) : t = -x
  def max = intrinsics.max_f32
  def min = intrinsics.min_f32
  def abs = intrinsics.abs_f32
  def ceil = intrinsics.ceil_f32
  def floor = intrinsics.floor_f32
  def trunc = intrinsics.trunc_f32
  def round = intrinsics.round_f32
  def fma = intrinsics.fma_f32
  def sgn (x: t) : t = if x > 0 then 1 else if x < 0 then -1 else x
  def recip (x: t) : t = 1 / x
  def mad (a: t) (b: t) (c: t) : t = a * b + c
  def lerp (a: t) (b: t) (x: t) : t = a + (b - a) * x
  def from_fraction (p: i64) (q: i64) : t = i64 p / i64 q
  def to_f64 = intrinsics.f32_to_f64

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def sqrt = intrinsics.sqrt_f32
  def rsqrt = intrinsics.rsqrt_f32
  def cbrt = intrinsics.cbrt_f32
  def exp = intrinsics.exp_f32
  def log = intrinsics.log_f32
  def log2 = intrinsics.log2_f32
  def log10 = intrinsics.log10_f32
  def log1p = intrinsics.log1p_f32
  def sin = intrinsics.sin_f32
  def cos = intrinsics.cos_f32
  def tan = intrinsics.tan_f32
  def asin = intrinsics.asin_f32
  def acos = intrinsics.acos_f32
  def atan = intrinsics.atan_f32
  def sinh = intrinsics.sinh_f32
  def cosh = intrinsics.cosh_f32
  def tanh = intrinsics.tanh_f32
  def asinh = intrinsics.asinh_f32
  def acosh = intrinsics.acosh_f32
  def atanh = intrinsics.atanh_f32
  def gamma = intrinsics.gamma_f32
  def lgamma = intrinsics.lgamma_f32
  def erf = intrinsics.erf_f32
  def erfc = intrinsics.erfc_f32
  def atan2 = intrinsics.atan2_f32
  def hypot = intrinsics.hypot_f32
  def ldexp = intrinsics.ldexp_f32

  def sinpi (x: t) : t = sin (x * pi)
  def cospi (x: t) : t = cos (x * pi)
  def tanpi (x: t) : t = tan (x * pi)
  def asinpi (x: t) : t = asin x / pi
  def acospi (x: t) : t = acos x / pi
  def atanpi (x: t) : t = atan x / pi
  def atan2pi (y: t) (x: t) : t = atan2 y x / pi
}

-- | The floating-point numbers of 64 bits.
module f64 : (float with t = f64 with int_t = u64) = {
  type t = f64
  type int_t = u64

  def from_bits = intrinsics.from_bits_f64
  def to_bits = intrinsics.to_bits_f64
  def num_bits : i32 = 64
  def get_bit (bit: i32) (x: t) : i32 = u64.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: t) (b: i32) : t = from_bits (u64.set_bit bit (to_bits x) b)

  def i8 = intrinsics.i8_to_f64
  def i16 = intrinsics.i16_to_f64
  def i32 = intrinsics.i32_to_f64
  def i64 = intrinsics.i64_to_f64
  def u8 = intrinsics.u8_to_f64
  def u16 = intrinsics.u16_to_f64
  def u32 = intrinsics.u32_to_f64
  def u64 = intrinsics.u64_to_f64
  def f16 = intrinsics.f16_to_f64
  def f32 = intrinsics.f32_to_f64
  def f64 (x: f64) : t = x
  def bool = intrinsics.bool_to_f64
  def to_i64 = intrinsics.f64_to_i64

  def inf : t = from_bits 0x7ff0000000000000
  def nan : t = from_bits 0x7ff8000000000000
  def pi : t = 3.14159265358979323846
  def e : t = 2.71828182845904523536
  def epsilon : t = 2.220446049250313e-16
  def highest : t = inf
  def lowest : t = -inf

  def copysign = intrinsics.copysign_f64
  def nextafter (x: t) (y: t) : t =
    if x != x || y != y then nan
    else if x == y then y
    else if x == 0 then copysign (from_bits 1) y
    else from_bits (if (x < y) == (x > 0) then to_bits x + 1 else to_bits x - 1)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def isinf (x: t) : bool = x == inf || x == lowest
  def isnan (x: t) : bool = x != x

  def neg (x: t) : t = -x
  def max = intrinsics.max_f64
  def min = intrinsics.min_f64
  def abs = intrinsics.abs_f64
  def ceil = intrinsics.ceil_f64
  def floor = intrinsics.floor_f64
  def trunc = intrinsics.trunc_f64
  def round = intrinsics.round_f64
  def fma = intrinsics.fma_f64
  def sgn (x: t) : t = if x > 0 then 1 else if x < 0 then -1 else x
  def recip (x: t) : t = 1 / x
  def mad (a: t) (b: t) (c: t) : t = a * b + c
  def lerp (a: t) (b: t) (x: t) : t = a + (b - a) * x
  def from_fraction (p: i64) (q: i64) : t = i64 p / i64 q
  def to_f64 (x: t) : f64 = x

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def sqrt = intrinsics.sqrt_f64
  def rsqrt = intrinsics.rsqrt_f64
  def cbrt = intrinsics.cbrt_f64
  def exp = intrinsics.exp_f64
  def log = intrinsics.log_f64
  def log2 = intrinsics.log2_f64
  def log10 = intrinsics.log10_f64
  def log1p = intrinsics.log1p_f64
  def sin = intrinsics.sin_f64
  def cos = intrinsics.cos_f64
  def tan = intrinsics.tan_f64
  def asin = intrinsics.asin_f64
  def acos = intrinsics.acos_f64
  def atan = intrinsics.atan_f64
  def sinh = intrinsics.sinh_f64
  def cosh = intrinsics.cosh_f64
  def tanh = intrinsics.tanh_f64
  def asinh = intrinsics.asinh_f64
  def acosh = intrinsics.acosh_f64
  def atanh = intrinsics.atanh_f64
  def gamma = intrinsics.gamma_f64
  def lgamma = intrinsics.lgamma_f64
  def erf = intrinsics.erf_f64
  def erfc = intrinsics.erfc_f64
  def atan2 = intrinsics.atan2_f64
  def hypot = intrinsics.hypot_f64
  def ldexp = intrinsics.ldexp_f64

  def sinpi (x: t) : t = sin (x * pi)
  def cospi (x: t) : t = cos (x * pi)
  def tanpi (x: t) : t = tan (x * pi)
  def asinpi (x: t) : t = asin x / pi
  def acospi (x: t) : t = acos x / pi
  def atanpi (x: t) : t = atan x / pi
  def atan2pi (y: t) (x: t) : t = atan2 y x / pi
}

-- | The floating-point numbers of 16 bits. Functions that hardware lacks for it go through `f32`.
module f16 : (float with t = f16 with int_t = u16) = {
  type t = f16
  type int_t = u16

  local def wide = intrinsics.f16_to_f32
  local def unary (f: f32 -> f32) (x: t) : t = intrinsics.f32_to_f16 (f (wide x))
  local def binary (f: f32 -> f32 -> f32) (x: t) (y: t) : t = intrinsics.f32_to_f16 (f (wide x) (wide y))

  def cbrt = unary f32.cbrt
  def exp = unary f32.exp
  def log = unary f32.log
  def log2 = unary f32.log2
  def log10 = unary f32.log10
  def log1p = unary f32.log1p
  def sin = unary f32.sin
  def cos = unary f32.cos
  def tan = unary f32.tan
  def asin = unary f32.asin
  def acos = unary f32.acos
  def atan = unary f32.atan
  def sinh = unary f32.sinh
  def cosh = unary f32.cosh
  def tanh = unary f32.tanh
  def asinh = unary f32.asinh
  def acosh = unary f32.acosh
  def atanh = unary f32.atanh
  def gamma = unary f32.gamma
  def lgamma = unary f32.lgamma
  def erf = unary f32.erf
  def erfc = unary f32.erfc
  def sinpi = unary f32.sinpi
  def cospi = unary f32.cospi
  def tanpi = unary f32.tanpi
  def asinpi = unary f32.asinpi
  def acospi = unary f32.acospi
  def atanpi = unary f32.atanpi
  def atan2 = binary f32.atan2
  def atan2pi = binary f32.atan2pi
  def hypot = binary f32.hypot
  def copysign = binary f32.copysign
  def ldexp (x: t) (n: i32) : t = intrinsics.f32_to_f16 (f32.ldexp (wide x) n)

  def from_bits = intrinsics.from_bits_f16
  def to_bits = intrinsics.to_bits_f16
  def num_bits : i32 = 16
  def get_bit (bit: i32) (x: t) : i32 = u16.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: t) (b: i32) : t = from_bits (u16.set_bit bit (to_bits x) b)

  def i8 = intrinsics.i8_to_f16
  def i16 = intrinsics.i16_to_f16
  def i32 = intrinsics.i32_to_f16
  def i64 = intrinsics.i64_to_f16
  def u8 = intrinsics.u8_to_f16
  def u16 = intrinsics.u16_to_f16
  def u32 = intrinsics.u32_to_f16
  def u64 = intrinsics.u64_to_f16
  def f16 (x: f16) : t = x
  def f32 = intrinsics.f32_to_f16
  def f64 = intrinsics.f64_to_f16
  def bool = intrinsics.bool_to_f16
  def to_i64 = intrinsics.f16_to_i64

  def inf : t = from_bits 0x7c00
  def nan : t = from_bits 0x7e00
  def pi : t = 3.14159265358979323846
  def e : t = 2.71828182845904523536
  def epsilon : t = 9.765625e-4
  def highest : t = inf
  def lowest : t = -inf

  def nextafter (x: t) (y: t) : t =
    if x != x || y != y then nan
    else if x == y then y
    else if x == 0 then copysign (from_bits 1) y
    else from_bits (if (x < y) == (x > 0) then to_bits x + 1 else to_bits x - 1)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def isinf (x: t) : bool = x == inf || x == lowest
  def isnan (x: t) : bool = x != x

  def neg (x: t) : t = -x
  def max = intrinsics.max_f16
  def min = intrinsics.min_f16
  def abs = intrinsics.abs_f16
  def ceil = intrinsics.ceil_f16
  def floor = intrinsics.floor_f16
  def trunc = intrinsics.trunc_f16
  def round = intrinsics.round_f16
  def fma = intrinsics.fma_f16
  def sgn (x: t) : t = if x > 0 then 1 else if x < 0 then -1 else x
  def recip (x: t) : t = 1 / x
  def mad (a: t) (b: t) (c: t) : t = a * b + c
  def lerp (a: t) (b: t) (x: t) : t = a + (b - a) * x
  def from_fraction (p: i64) (q: i64) : t = i64 p / i64 q
  def to_f64 = intrinsics.f16_to_f64

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def sqrt = intrinsics.sqrt_f16
  def rsqrt = intrinsics.rsqrt_f16
}
