-- The position of the greatest element of an empty array is out of bounds when used.
-- ==
-- input { [3, 7, 5] } output { 7 }
-- input { empty([0]i32) } error: Index \[-1\] out of bounds for array of shape \[0\]

def main [n] (xs: [n]i32): i32 =
  let pick i j =
    if i < 0 then j else if j < 0 then i else if xs[i] >= xs[j] then i else j
  in xs[reduce pick (-1) (iota n)]
