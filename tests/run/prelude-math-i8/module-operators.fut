-- The operators as members of the module i8.
-- ==
-- input { -77i8 10i8 }
-- output { [-67i8, -87, -2, -8, 3, -7, -7, 2, -69, -71, 76] [false, true, true, true, false, false] }
-- input { 127i8 3i8 }
-- output {
--   [-126i8, 124, 125, 42, 1, 42, 1, 3, 127, 124, -128]
--   [false, true, false, false, true, true]
-- }
-- input { 5i8 5i8 }
-- output { [10i8, 0, 25, 1, 0, 1, 0, 5, 5, 0, -6] [true, false, false, true, false, true] }

def main (x: i8) (y: i8): ([11]i8, [6]bool) =
  let arithmetic =
    [ x i8.+ y
    , x i8.- y
    , x i8.* y
    , x i8./ y
    , x i8.% y
    , x i8.// y
    , x i8.%% y
    , x i8.& y
    , x i8.| y
    , x i8.^ y
    , i8.not x
    ]
  let comparisons =
    [x i8.== y, x i8.!= y, x i8.< y, x i8.<= y, x i8.> y, x i8.>= y]
  in (arithmetic, comparisons)
