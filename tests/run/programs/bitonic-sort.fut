-- A bitonic sorting network on a power of two of elements.
-- ==
-- input { [7, 3, 8, 1, 6, 2, 5, 4] } output { [1, 2, 3, 4, 5, 6, 7, 8] }
-- input { [1] } output { [1] }
-- input { [2, 1] } output { [1, 2] }

def main [n] (xs: [n]i32): [n]i32 =
  let bits = i64.i32 (63 - i64.clz n)
  in loop (xs: [n]i32) for p < bits do
       loop (xs: [n]i32) for q < p + 1 do
         let d = 1 << (p - q)
         in map (\i ->
                   let j = i ^ d
                   let up = (i >> (p + 1)) & 1 == 0
                   let (a, b) = (xs[i], xs[j])
                   in if (i < j) == up then i32.min a b else i32.max a b)
                (iota n)
