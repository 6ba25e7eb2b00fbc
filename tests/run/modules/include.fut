-- Module types that include others and refine types.
-- ==
-- input { 3 } output { 3 6 }

module type has_value = { type t val value: i32 -> t }
module type has_double = { include has_value val double: t -> t }
module m: has_double with t = i32 = {
  type t = i32
  def value x = x
  def double x = x * 2
}
def main (x: i32): (i32, i32) = (m.value x, m.double (m.value x))
