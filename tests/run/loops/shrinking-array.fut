-- A loop that halves an array until one element is left.
-- ==
-- input { [1, 2, 3, 4, 5] } output { 15 }
-- input { [7] } output { 7 }
-- input { empty([0]i32) } output { 0 }

def main (xs: []i32): i32 =
  let ys =
    loop ys = xs while length ys > 1 do
      let k = length ys / 2
      let sums = map2 (+) (take k ys) (take k (drop k ys))
      in sums ++ drop (2 * k) ys
  in if null ys then 0 else ys[0]
