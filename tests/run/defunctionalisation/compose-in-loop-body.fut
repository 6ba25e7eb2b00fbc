-- A function chosen outside a loop is applied inside it.
-- ==
-- input { 3 [1, 2] } output { [27, 54] }
-- input { 0 [1, 2] } output { [1, 2] }

def main [n] (k: i32) (xs: [n]i32): [n]i32 =
  let step = \x -> x * 3
  let whole = map step
  in loop xs for _i < k do whole xs
