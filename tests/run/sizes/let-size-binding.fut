-- Sizes bound by let with brackets.
-- ==
-- input { [1, 2, 3, 4] } output { 2i64 [2i64, 2] }
-- input { [1] } output { 0i64 empty([0]i64) }

def main (xs: []i32): (i64, []i64) =
  let [k] (evens: [k]i32) = filter (\x -> x % 2 == 0) xs
  in (k, map (\_ -> k) evens)
