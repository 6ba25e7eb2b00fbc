-- replicate, and rep whose size follows from its use.
-- ==
-- input { 3i64 5 } output { [5, 5, 5] [5, 6, 7] [[5, 5], [5, 5], [5, 5]] }
-- input { 0i64 5 } output { empty([0]i32) empty([0]i32) empty([0][2]i32) }

def main (n: i64) (x: i32): ([n]i32, [n]i32, [n][2]i32) =
  let r: [n]i32 = rep x
  in (replicate n x, map2 (\a i -> a + i32.i64 i) r (iota n),
      replicate n (replicate 2 x))
