-- A trailing comma is allowed in tuples, arrays, records, patterns and types.
-- ==
-- input { 1 2 } output { 1 2 [1, 2] 3 }

type pair = (i32, i32,)
def main (x: i32) (y: i32): (i32, i32, [2]i32, i32) =
  let (a, b,): pair = (x, y,)
  let r: {u: i32, v: i32,} = {u = x, v = y,}
  let {u, v,} = r
  in (a, b, [x, y,], u + v)
