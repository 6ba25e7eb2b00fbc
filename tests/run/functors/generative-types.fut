-- Two applications of a parametric module with an abstract result work apart from each other.
-- ==
-- input { 1 2 } output { 10 200 }

module type box = { type t val put: i32 -> t val get: t -> i32 }
module mk (p: { val k: i32 }): box = {
  type t = i32
  def put x = x * p.k
  def get (x: t) = x
}
module b10 = mk { def k = 10i32 }
module b100 = mk { def k = 100i32 }
def main (x: i32) (y: i32): (i32, i32) =
  (b10.get (b10.put x), b100.get (b100.put y))
