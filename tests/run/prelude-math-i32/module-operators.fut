-- The operators as members of the module i32.
-- ==
-- input { -77 10 }
-- output { [-67, -87, -770, -8, 3, -7, -7, 2, -69, -71, 76] [false, true, true, true, false, false] }
-- input { 2147483647 3 }
-- output {
--   [-2147483646, 2147483644, 2147483645, 715827882, 1, 715827882, 1, 3, 2147483647, 2147483644, -2147483648]
--   [false, true, false, false, true, true]
-- }
-- input { 5 5 }
-- output { [10, 0, 25, 1, 0, 1, 0, 5, 5, 0, -6] [true, false, false, true, false, true] }

def main (x: i32) (y: i32): ([11]i32, [6]bool) =
  let arithmetic =
    [ x i32.+ y
    , x i32.- y
    , x i32.* y
    , x i32./ y
    , x i32.% y
    , x i32.// y
    , x i32.%% y
    , x i32.& y
    , x i32.| y
    , x i32.^ y
    , i32.not x
    ]
  let comparisons =
    [x i32.== y, x i32.!= y, x i32.< y, x i32.<= y, x i32.> y, x i32.>= y]
  in (arithmetic, comparisons)
