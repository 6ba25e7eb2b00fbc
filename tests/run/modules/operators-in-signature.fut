-- Operators in module types.
-- ==
-- input { 1 2 3 4 } output { 4 6 -5 10 }

module type field = {
  type t
  val (+): t -> t -> t
  val *: t -> t -> t
}
module complex: field with t = (i32, i32) = {
  type t = (i32, i32)
  def (a: i32, b: i32) + (c: i32, d: i32) = (a i32.+ c, b i32.+ d)
  def (a: i32, b: i32) * (c: i32, d: i32) =
    (a i32.* c - b i32.* d, a i32.* d i32.+ b i32.* c)
}
def main (a: i32) (b: i32) (c: i32) (d: i32): (i32, i32, i32, i32) =
  let (p, q) = (a, b) complex.+ (c, d)
  let (r, s) = (a, b) complex.* (c, d)
  in (p, q, r, s)
