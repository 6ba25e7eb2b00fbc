-- | One module per integer type. What the names mean is documented on `integral`.
--
-- Operators are overloaded only until they are defined, so what uses one at another type than `t` stands before that.

import "soacs"
import "numeric"

-- | The signed integers of 8 bits.
module i8 : (integral with t = i8) = {
  type t = i8

  def i8 (x: i8) : t = x
  def i16 = intrinsics.i16_to_i8
  def i32 = intrinsics.i32_to_i8
  def i64 = intrinsics.i64_to_i8
  def u8 = intrinsics.u8_to_i8
  def u16 = intrinsics.u16_to_i8
  def u32 = intrinsics.u32_to_i8
  def u64 = intrinsics.u64_to_i8
  def f16 = intrinsics.f16_to_i8
  def f32 = intrinsics.f32_to_i8
  def f64 = intrinsics.f64_to_i8
  def bool = intrinsics.bool_to_i8
  def to_i64 = intrinsics.i8_to_i64

  def sgn (x: t) : t = bool (x > 0) - bool (x < 0)
  def (>>>) (x: t) (y: t) : t = intrinsics.u8_to_i8 (intrinsics.i8_to_u8 x >> intrinsics.i8_to_u8 y)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_i8
  def min = intrinsics.min_i8
  def abs = intrinsics.abs_i8
  def highest : t = 127
  def lowest : t = -128

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 8
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.i8_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_i8
  def clz = intrinsics.clz_i8
  def ctz = intrinsics.ctz_i8
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_i8 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The signed integers of 16 bits.
module i16 : (integral with t = i16) = {
  type t = i16

  def i8 = intrinsics.i8_to_i16
  def i16 (x: i16) : t = x
  def i32 = intrinsics.i32_to_i16
  def i64 = intrinsics.i64_to_i16
  def u8 = intrinsics.u8_to_i16
  def u16 = intrinsics.u16_to_i16
  def u32 = intrinsics.u32_to_i16
  def u64 = intrinsics.u64_to_i16
  def f16 = intrinsics.f16_to_i16
  def f32 = intrinsics.f32_to_i16
  def f64 = intrinsics.f64_to_i16
  def bool = intrinsics.bool_to_i16
  def to_i64 = intrinsics.i16_to_i64

  def sgn (x: t) : t = bool (x > 0) - bool (x < 0)
  def (>>>) (x: t) (y: t) : t = intrinsics.u16_to_i16 (intrinsics.i16_to_u16 x >> intrinsics.i16_to_u16 y)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_i16
  def min = intrinsics.min_i16
  def abs = intrinsics.abs_i16
  def highest : t = 32767
  def lowest : t = -32768

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 16
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.i16_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_i16
  def clz = intrinsics.clz_i16
  def ctz = intrinsics.ctz_i16
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_i16 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The signed integers of 32 bits.
module i32 : (integral with t = i32) = {
  type t = i32

  def i8 = intrinsics.i8_to_i32
  def i16 = intrinsics.i16_to_i32
  def i32 (x: i32) : t = x
  def i64 = intrinsics.i64_to_i32
  def u8 = intrinsics.u8_to_i32
  def u16 = intrinsics.u16_to_i32
  def u32 = intrinsics.u32_to_i32
  def u64 = intrinsics.u64_to_i32
  def f16 = intrinsics.f16_to_i32
  def f32 = intrinsics.f32_to_i32
  def f64 = intrinsics.f64_to_i32
  def bool = intrinsics.bool_to_i32
  def to_i64 = intrinsics.i32_to_i64

  def sgn (x: t) : t = bool (x > 0) - bool (x < 0)
  def (>>>) (x: t) (y: t) : t = intrinsics.u32_to_i32 (intrinsics.i32_to_u32 x >> intrinsics.i32_to_u32 y)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_i32
  def min = intrinsics.min_i32
  def abs = intrinsics.abs_i32
  def highest : t = 2147483647
  def lowest : t = -2147483648

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 32
  def get_bit (bit: i32) (x: t) : i32 = (x >> i32 bit) & 1
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_i32
  def clz = intrinsics.clz_i32
  def ctz = intrinsics.ctz_i32
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_i32 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The signed integers of 64 bits.
module i64 : (integral with t = i64) = {
  type t = i64

  def i8 = intrinsics.i8_to_i64
  def i16 = intrinsics.i16_to_i64
  def i32 = intrinsics.i32_to_i64
  def i64 (x: i64) : t = x
  def u8 = intrinsics.u8_to_i64
  def u16 = intrinsics.u16_to_i64
  def u32 = intrinsics.u32_to_i64
  def u64 = intrinsics.u64_to_i64
  def f16 = intrinsics.f16_to_i64
  def f32 = intrinsics.f32_to_i64
  def f64 = intrinsics.f64_to_i64
  def bool = intrinsics.bool_to_i64
  def to_i64 (x: t) : i64 = x

  def sgn (x: t) : t = bool (x > 0) - bool (x < 0)
  def (>>>) (x: t) (y: t) : t = intrinsics.u64_to_i64 (intrinsics.i64_to_u64 x >> intrinsics.i64_to_u64 y)

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_i64
  def min = intrinsics.min_i64
  def abs = intrinsics.abs_i64
  def highest : t = 9223372036854775807
  def lowest : t = -9223372036854775808

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 64
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.i64_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_i64
  def clz = intrinsics.clz_i64
  def ctz = intrinsics.ctz_i64
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_i64 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The unsigned integers of 8 bits.
module u8 : (integral with t = u8) = {
  type t = u8

  def i8 = intrinsics.i8_to_u8
  def i16 = intrinsics.i16_to_u8
  def i32 = intrinsics.i32_to_u8
  def i64 = intrinsics.i64_to_u8
  def u8 (x: u8) : t = x
  def u16 = intrinsics.u16_to_u8
  def u32 = intrinsics.u32_to_u8
  def u64 = intrinsics.u64_to_u8
  def f16 = intrinsics.f16_to_u8
  def f32 = intrinsics.f32_to_u8
  def f64 = intrinsics.f64_to_u8
  def bool = intrinsics.bool_to_u8
  def to_i64 = intrinsics.u8_to_i64

  def sgn (x: t) : t = bool (x > 0)
  def (>>>) (x: t) (y: t) : t = x >> y

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_u8
  def min = intrinsics.min_u8
  def abs (x: t) : t = x
  def highest : t = 255
  def lowest : t = 0

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 8
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.u8_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_u8
  def clz = intrinsics.clz_u8
  def ctz = intrinsics.ctz_u8
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_u8 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The unsigned integers of 16 bits.
module u16 : (integral with t = u16) = {
  type t = u16

  def i8 = intrinsics.i8_to_u16
  def i16 = intrinsics.i16_to_u16
  def i32 = intrinsics.i32_to_u16
  def i64 = intrinsics.i64_to_u16
  def u8 = intrinsics.u8_to_u16
  def u16 (x: u16) : t = x
  def u32 = intrinsics.u32_to_u16
  def u64 = intrinsics.u64_to_u16
  def f16 = intrinsics.f16_to_u16
  def f32 = intrinsics.f32_to_u16
  def f64 = intrinsics.f64_to_u16
  def bool = intrinsics.bool_to_u16
  def to_i64 = intrinsics.u16_to_i64

  def sgn (x: t) : t = bool (x > 0)
  def (>>>) (x: t) (y: t) : t = x >> y

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_u16
  def min = intrinsics.min_u16
  def abs (x: t) : t = x
  def highest : t = 65535
  def lowest : t = 0

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 16
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.u16_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_u16
  def clz = intrinsics.clz_u16
  def ctz = intrinsics.ctz_u16
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_u16 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The unsigned integers of 32 bits.
module u32 : (integral with t = u32) = {
  type t = u32

  def i8 = intrinsics.i8_to_u32
  def i16 = intrinsics.i16_to_u32
  def i32 = intrinsics.i32_to_u32
  def i64 = intrinsics.i64_to_u32
  def u8 = intrinsics.u8_to_u32
  def u16 = intrinsics.u16_to_u32
  def u32 (x: u32) : t = x
  def u64 = intrinsics.u64_to_u32
  def f16 = intrinsics.f16_to_u32
  def f32 = intrinsics.f32_to_u32
  def f64 = intrinsics.f64_to_u32
  def bool = intrinsics.bool_to_u32
  def to_i64 = intrinsics.u32_to_i64

  def sgn (x: t) : t = bool (x > 0)
  def (>>>) (x: t) (y: t) : t = x >> y

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_u32
  def min = intrinsics.min_u32
  def abs (x: t) : t = x
  def highest : t = 4294967295
  def lowest : t = 0

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 32
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.u32_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_u32
  def clz = intrinsics.clz_u32
  def ctz = intrinsics.ctz_u32
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_u32 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}

-- | The unsigned integers of 64 bits.
module u64 : (integral with t = u64) = {
  type t = u64

  def i8 = intrinsics.i8_to_u64
  def i16 = intrinsics.i16_to_u64
  def i32 = intrinsics.i32_to_u64
  def i64 = intrinsics.i64_to_u64
  def u8 = intrinsics.u8_to_u64
  def u16 = intrinsics.u16_to_u64
  def u32 = intrinsics.u32_to_u64
  def u64 (x: u64) : t = x
  def f16 = intrinsics.f16_to_u64
  def f32 = intrinsics.f32_to_u64
  def f64 = intrinsics.f64_to_u64
  def bool = intrinsics.bool_to_u64
  def to_i64 = intrinsics.u64_to_i64

  def sgn (x: t) : t = bool (x > 0)
  def (>>>) (x: t) (y: t) : t = x >> y

  def (+) (x: t) (y: t) : t = x + y
  def (-) (x: t) (y: t) : t = x - y
  def (*) (x: t) (y: t) : t = x * y
  def (/) (x: t) (y: t) : t = x / y
  def (%) (x: t) (y: t) : t = x % y
  def (**) (x: t) (y: t) : t = x ** y
  def (//) (x: t) (y: t) : t = x // y
  def (%%) (x: t) (y: t) : t = x %% y
  def (&) (x: t) (y: t) : t = x & y
  def (|) (x: t) (y: t) : t = x | y
  def (^) (x: t) (y: t) : t = x ^ y
  def (<<) (x: t) (y: t) : t = x << y
  def (>>) (x: t) (y: t) : t = x >> y

  def (==) (x: t) (y: t) : bool = x == y
  def (!=) (x: t) (y: t) : bool = x != y
  def (<) (x: t) (y: t) : bool = x < y
  def (>) (x: t) (y: t) : bool = x > y
  def (<=) (x: t) (y: t) : bool = x <= y
  def (>=) (x: t) (y: t) : bool = x >= y

  def neg (x: t) : t = -x
  def not (x: t) : t = !x
  def max = intrinsics.max_u64
  def min = intrinsics.min_u64
  def abs (x: t) : t = x
  def highest : t = 18446744073709551615
  def lowest : t = 0

  def sum [n] (xs: [n]t) : t = reduce (+) 0 xs
  def product [n] (xs: [n]t) : t = reduce (*) 1 xs
  def maximum [n] (xs: [n]t) : t = reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = reduce min highest xs

  def num_bits : i32 = 64
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.u64_to_i32 ((x >> i32 bit) & 1)
  def set_bit (bit: i32) (x: t) (b: i32) : t = (x & !(1 << i32 bit)) | (i32 b << i32 bit)
  def popc = intrinsics.popc_u64
  def clz = intrinsics.clz_u64
  def ctz = intrinsics.ctz_u64
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi_u64 x y
  def mad_hi (a: t) (b: t) (c: t) : t = mul_hi a b + c
}
