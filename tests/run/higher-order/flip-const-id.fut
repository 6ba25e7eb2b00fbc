-- flip, const and id, at function types as well.
-- ==
-- input { 10 3 } output { -7 10 7 4 10 }

def main (x: i32) (y: i32): (i32, i32, i32, i32, i32) =
  (flip (-) x y, const x y, id (\a -> a - y) x, (const (+ 1) 'z') y, id x)
