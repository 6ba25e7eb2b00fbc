-- A chain of consuming functions and updates.
-- ==
-- input { [1, 2, 3] } output { [3, 2, 4] }
-- input { [5] } error: out of bounds

def put [n] (a: *[n]i32) (i: i64) (x: i32): *[n]i32 = a with [i] = x
def swap [n] (a: *[n]i32) (i: i64) (j: i64): *[n]i32 =
  let (x, y) = (a[i], a[j])
  in put (put a i y) j x
def main [n] (xs: *[n]i32): [n]i32 =
  let ys = swap xs 0 2
  let zs = put ys 2 4
  in zs
