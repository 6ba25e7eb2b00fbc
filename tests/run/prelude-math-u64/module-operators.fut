-- The operators as members of the module u64.
-- ==
-- input { 177u64 10u64 }
-- output {
--   [187u64, 167, 1770, 17, 7, 17, 7, 0, 187, 187, 18446744073709551438]
--   [false, true, false, false, true, true]
-- }
-- input { 18446744073709551615u64 3u64 }
-- output {
--   [2u64, 18446744073709551612, 18446744073709551613, 6148914691236517205, 0, 6148914691236517205, 0, 3,
--     18446744073709551615, 18446744073709551612, 0]
--   [false, true, false, false, true, true]
-- }
-- input { 5u64 5u64 }
-- output {
--   [10u64, 0, 25, 1, 0, 1, 0, 5, 5, 0, 18446744073709551610]
--   [true, false, false, true, false, true]
-- }

def main (x: u64) (y: u64): ([11]u64, [6]bool) =
  let arithmetic =
    [ x u64.+ y
    , x u64.- y
    , x u64.* y
    , x u64./ y
    , x u64.% y
    , x u64.// y
    , x u64.%% y
    , x u64.& y
    , x u64.| y
    , x u64.^ y
    , u64.not x
    ]
  let comparisons =
    [x u64.== y, x u64.!= y, x u64.< y, x u64.<= y, x u64.> y, x u64.>= y]
  in (arithmetic, comparisons)
