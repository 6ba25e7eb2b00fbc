-- An abstract type with an existential size inside a module.
-- ==
-- input { [3, 1, 2] } output { 3i64 3 [1, 2] }
-- input { [9] } output { 1i64 9 empty([0]i32) }

module stack: {
  type~ t
  val from [n]: [n]i32 -> t
  val size: t -> i64
  val top: t -> i32
  val rest: t -> []i32
} = {
  type~ t = []i32
  def from xs = xs
  def size (xs: t) = length xs
  def top (xs: t) = xs[0]
  def rest (xs: t) = xs[1:]
}
def main (xs: []i32): (i64, i32, []i32) =
  let s = stack.from xs
  in (stack.size s, stack.top s, stack.rest s)
