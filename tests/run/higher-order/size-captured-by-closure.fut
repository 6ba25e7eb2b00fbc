-- A partially applied function remembers the sizes of its arguments.
-- ==
-- input { [1, 2, 3] } output { 6i64 [3i64, 4, 5] }
-- input { empty([0]i32) } output { 0i64 [0i64, 1, 2] }

def scale [n] (_: [n]i32) (k: i64): i64 = n * k
def shifted [n] (_: [n]i32) = \(i: i64) -> i + n
def main (xs: []i32): (i64, [3]i64) =
  let f = scale xs
  let g = shifted xs
  in (f 2, map g (iota 3))
