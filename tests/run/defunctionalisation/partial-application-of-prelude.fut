-- Partial applications of prelude functions are passed on.
-- ==
-- input { [3, 1, 2] } output { 6 [3, 4, 6] [6, 2, 4] [3, 2] }
-- input { empty([0]i32) } output { 0 empty([0]i32) empty([0]i32) empty([0]i32) }

def run '^a '^b (f: a -> b) (x: a): b = f x
def main [n] (xs: [n]i32): (i32, [n]i32, [n]i32, []i32) =
  let sum = reduce (+) 0
  let sums = scan (+) 0
  let double = map (* 2)
  let big = filter (> 1)
  in (run sum xs, run sums xs, run double xs, run big xs)
