-- The operators as members of the module i16.
-- ==
-- input { -77i16 10i16 }
-- output {
--   [-67i16, -87, -770, -8, 3, -7, -7, 2, -69, -71, 76]
--   [false, true, true, true, false, false]
-- }
-- input { 32767i16 3i16 }
-- output {
--   [-32766i16, 32764, 32765, 10922, 1, 10922, 1, 3, 32767, 32764, -32768]
--   [false, true, false, false, true, true]
-- }
-- input { 5i16 5i16 }
-- output { [10i16, 0, 25, 1, 0, 1, 0, 5, 5, 0, -6] [true, false, false, true, false, true] }

def main (x: i16) (y: i16): ([11]i16, [6]bool) =
  let arithmetic =
    [ x i16.+ y
    , x i16.- y
    , x i16.* y
    , x i16./ y
    , x i16.% y
    , x i16.// y
    , x i16.%% y
    , x i16.& y
    , x i16.| y
    , x i16.^ y
    , i16.not x
    ]
  let comparisons =
    [x i16.== y, x i16.!= y, x i16.< y, x i16.<= y, x i16.> y, x i16.>= y]
  in (arithmetic, comparisons)
