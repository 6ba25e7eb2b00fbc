-- Closures that capture arrays, passed to functions of higher order.
-- ==
-- input { [1, 2, 3] [0i64, 2, 2] } output { [1, 3, 3] 7 }
-- input { [1, 2, 3] empty([0]i64) } output { empty([0]i32) 0 }
-- input { [1, 2, 3] [3i64] } error: out of bounds

def lookup [n] (xs: [n]i32) = \(i: i64) -> xs[i]
def main [m] (xs: []i32) (is: [m]i64): ([m]i32, i32) =
  let get = lookup xs
  in (map get is, foldl (\acc i -> acc + get i) 0 is)
