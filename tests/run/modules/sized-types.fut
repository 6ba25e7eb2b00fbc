-- A module type with a sized type.
-- ==
-- input { [1, 2, 3] } output { 3i64 [1, 3, 6] }
-- input { empty([0]i32) } output { 0i64 empty([0]i32) }

module type vector = {
  type t [n]
  val make [n]: [n]i32 -> t [n]
  val size [n]: t [n] -> i64
  val sums [n]: t [n] -> [n]i32
}
module v: vector = {
  type t [n] = [n]i32
  def make xs = xs
  def size [n] (_: t [n]) = n
  def sums xs = scan (+) 0 xs
}
def main [n] (xs: [n]i32): (i64, [n]i32) =
  (v.size (v.make xs), v.sums (v.make xs))
