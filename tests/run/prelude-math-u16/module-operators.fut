-- The operators as members of the module u16.
-- ==
-- input { 177u16 10u16 }
-- output {
--   [187u16, 167, 1770, 17, 7, 17, 7, 0, 187, 187, 65358]
--   [false, true, false, false, true, true]
-- }
-- input { 65535u16 3u16 }
-- output {
--   [2u16, 65532, 65533, 21845, 0, 21845, 0, 3, 65535, 65532, 0]
--   [false, true, false, false, true, true]
-- }
-- input { 5u16 5u16 }
-- output { [10u16, 0, 25, 1, 0, 1, 0, 5, 5, 0, 65530] [true, false, false, true, false, true] }

def main (x: u16) (y: u16): ([11]u16, [6]bool) =
  let arithmetic =
    [ x u16.+ y
    , x u16.- y
    , x u16.* y
    , x u16./ y
    , x u16.% y
    , x u16.// y
    , x u16.%% y
    , x u16.& y
    , x u16.| y
    , x u16.^ y
    , u16.not x
    ]
  let comparisons =
    [x u16.== y, x u16.!= y, x u16.< y, x u16.<= y, x u16.> y, x u16.>= y]
  in (arithmetic, comparisons)
