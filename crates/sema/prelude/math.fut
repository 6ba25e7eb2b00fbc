-- | Numbers and truth values: a module per primitive type, the module types they share, and a few conversions.
--
-- The operators are overloaded at the primitive types without opening anything; the modules are for programs that are
-- parametric in a module, and for the operations that have no operator.

open import "numeric"
open import "integers"
open import "floats"

-- | Conversions to truth values: every number but zero is true.
module bool : (from_prim with t = bool) = {
  type t = bool

  def i8 (x: i8) : t = x != 0
  def i16 (x: i16) : t = x != 0
  def i32 (x: i32) : t = x != 0
  def i64 (x: i64) : t = x != 0
  def u8 (x: u8) : t = x != 0
  def u16 (x: u16) : t = x != 0
  def u32 (x: u32) : t = x != 0
  def u64 (x: u64) : t = x != 0
  def f16 (x: f16) : t = x != 0
  def f32 (x: f32) : t = x != 0
  def f64 (x: f64) : t = x != 0
  def bool (x: bool) : t = x
}

-- | Convert an `i32` to `f32`.
def r32 (x: i32) : f32 = f32.i32 x

-- | Convert an `f32` to `i32`, rounding towards zero.
def t32 (x: f32) : i32 = i32.f32 x

-- | Convert an `i32` to `f64`.
def r64 (x: i32) : f64 = f64.i32 x

-- | Convert an `f64` to `i32`, rounding towards zero.
def t64 (x: f64) : i32 = i32.f64 x

-- | Logical negation: `!` as a function.
def not (x: bool) : bool = !x
