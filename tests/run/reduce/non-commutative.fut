-- reduce respects the order: composition of affine functions, and the first non-zero element.
-- ==
-- input { [2, 3, 5] [1, 1, 1] } output { 30 21 1 }
-- input { [2, 3] [0, 7] } output { 6 7 7 }
-- input { empty([0]i32) empty([0]i32) } output { 1 0 0 }

def compose (a: i32, b: i32) (c: i32, d: i32): (i32, i32) = (a * c, b * c + d)
def main [n] (xs: [n]i32) (ys: [n]i32): (i32, i32, i32) =
  let (a, b) = reduce compose (1, 0) (zip xs ys)
  in (a, b, reduce (\x y -> if x != 0 then x else y) 0 ys)
