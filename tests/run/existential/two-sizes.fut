-- A result with two unknown sizes.
-- ==
-- input { [1, 2, 3] } output { [[1, 1], [3, 3]] 2i64 2i64 }
-- input { [2] } output { empty([0][0]i32) 0i64 0i64 }

def grid [n] (xs: [n]i32): ?[k][l].[k][l]i32 =
  let odd = filter (\x -> x % 2 == 1) xs
  let k = length odd
  in map (\x -> replicate k x) odd
def main (xs: []i32): ([][]i32, i64, i64) =
  let g = grid xs
  in (g, length g, length (transpose g))
