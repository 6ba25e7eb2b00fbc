-- A parametric module over a size.
-- ==
-- input { } output { [0i64, 2, 4] 3i64 }

module vec (p: { val n: i64 }) = {
  type t = [p.n]i64
  def base: t = iota p.n
  def double (x: t): t = map (* 2) x
  def size = p.n
}
module v3 = vec { def n = 3i64 }
def main: ([]i64, i64) = (v3.double v3.base, v3.size)
