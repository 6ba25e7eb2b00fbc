-- The operators as members of the module u8.
-- ==
-- input { 177u8 10u8 }
-- output { [187u8, 167, 234, 17, 7, 17, 7, 0, 187, 187, 78] [false, true, false, false, true, true] }
-- input { 255u8 3u8 }
-- output { [2u8, 252, 253, 85, 0, 85, 0, 3, 255, 252, 0] [false, true, false, false, true, true] }
-- input { 5u8 5u8 }
-- output { [10u8, 0, 25, 1, 0, 1, 0, 5, 5, 0, 250] [true, false, false, true, false, true] }

def main (x: u8) (y: u8): ([11]u8, [6]bool) =
  let arithmetic =
    [ x u8.+ y
    , x u8.- y
    , x u8.* y
    , x u8./ y
    , x u8.% y
    , x u8.// y
    , x u8.%% y
    , x u8.& y
    , x u8.| y
    , x u8.^ y
    , u8.not x
    ]
  let comparisons =
    [x u8.== y, x u8.!= y, x u8.< y, x u8.<= y, x u8.> y, x u8.>= y]
  in (arithmetic, comparisons)
