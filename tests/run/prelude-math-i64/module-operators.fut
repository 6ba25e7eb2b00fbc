-- The operators as members of the module i64.
-- ==
-- input { -77i64 10i64 }
-- output {
--   [-67i64, -87, -770, -8, 3, -7, -7, 2, -69, -71, 76]
--   [false, true, true, true, false, false]
-- }
-- input { 9223372036854775807i64 3i64 }
-- output {
--   [-9223372036854775806i64, 9223372036854775804, 9223372036854775805, 3074457345618258602, 1, 3074457345618258602,
--     1, 3, 9223372036854775807, 9223372036854775804, -9223372036854775808]
--   [false, true, false, false, true, true]
-- }
-- input { 5i64 5i64 }
-- output { [10i64, 0, 25, 1, 0, 1, 0, 5, 5, 0, -6] [true, false, false, true, false, true] }

def main (x: i64) (y: i64): ([11]i64, [6]bool) =
  let arithmetic =
    [ x i64.+ y
    , x i64.- y
    , x i64.* y
    , x i64./ y
    , x i64.% y
    , x i64.// y
    , x i64.%% y
    , x i64.& y
    , x i64.| y
    , x i64.^ y
    , i64.not x
    ]
  let comparisons =
    [x i64.== y, x i64.!= y, x i64.< y, x i64.<= y, x i64.> y, x i64.>= y]
  in (arithmetic, comparisons)
