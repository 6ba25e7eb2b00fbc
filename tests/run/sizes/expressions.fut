-- Sizes that are expressions: concatenation and flattening have sums and products.
-- ==
-- input { [1, 2] [3, 4, 5] } output { [2, 4, 6, 8, 10] [1, 2, 1, 2] }
-- input { empty([0]i32) [1] } output { [2] empty([0]i32) }

def join [n] [m] (xs: [n]i32) (ys: [m]i32): [n + m]i32 = xs ++ ys
def main [n] [m] (xs: [n]i32) (ys: [m]i32): ([n + m]i32, [2 * n]i32) =
  let a: [n + m]i32 = join xs ys
  in (map2 (+) a (xs ++ ys), flatten [xs, xs])
