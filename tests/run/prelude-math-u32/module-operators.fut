-- The operators as members of the module u32.
-- ==
-- input { 177u32 10u32 }
-- output {
--   [187u32, 167, 1770, 17, 7, 17, 7, 0, 187, 187, 4294967118]
--   [false, true, false, false, true, true]
-- }
-- input { 4294967295u32 3u32 }
-- output {
--   [2u32, 4294967292, 4294967293, 1431655765, 0, 1431655765, 0, 3, 4294967295, 4294967292, 0]
--   [false, true, false, false, true, true]
-- }
-- input { 5u32 5u32 }
-- output { [10u32, 0, 25, 1, 0, 1, 0, 5, 5, 0, 4294967290] [true, false, false, true, false, true] }

def main (x: u32) (y: u32): ([11]u32, [6]bool) =
  let arithmetic =
    [ x u32.+ y
    , x u32.- y
    , x u32.* y
    , x u32./ y
    , x u32.% y
    , x u32.// y
    , x u32.%% y
    , x u32.& y
    , x u32.| y
    , x u32.^ y
    , u32.not x
    ]
  let comparisons =
    [x u32.== y, x u32.!= y, x u32.< y, x u32.<= y, x u32.> y, x u32.>= y]
  in (arithmetic, comparisons)
