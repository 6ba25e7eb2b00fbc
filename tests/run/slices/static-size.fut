-- Slices whose size is known statically: a[:n] has size n.
-- ==
-- input { [1, 2, 3] 2i64 } output { [2, 4] [1, 2] }
-- input { [1, 2, 3] 0i64 } output { empty([0]i32) empty([0]i32) }
-- input { [1, 2, 3] 4i64 } error: out of bounds

def main (xs: []i32) (n: i64): ([n]i32, [n]i32) =
  let a: [n]i32 = xs[:n]
  let b: [n]i32 = xs[0:n]
  in (map2 (+) a b, xs[0:n:1])
