-- Division by a power of two, and what is left, round down for negative numbers, and towards zero if asked.

-- ==
-- entry: wide
-- input { [-9223372036854775808i64, -17i64, -16i64, -15i64, -1i64, 0i64, 1i64, 15i64, 16i64, 9223372036854775807i64] }
-- output { [-576460752303423488i64, -2i64, -1i64, -1i64, -1i64, 0i64, 0i64, 0i64, 1i64, 576460752303423487i64]
--          [0i64, 15i64, 0i64, 1i64, 15i64, 0i64, 1i64, 15i64, 0i64, 15i64]
--          [-576460752303423488i64, -1i64, -1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 1i64, 576460752303423487i64]
--          [0i64, -1i64, 0i64, -15i64, -1i64, 0i64, 1i64, 15i64, 0i64, 15i64] }
entry wide (xs: []i64) =
  (map (/ 16) xs, map (% 16) xs, map (// 16) xs, map (%% 16) xs)

-- ==
-- entry: narrow
-- input { [-128i8, -65i8, -64i8, -1i8, 0i8, 63i8, 64i8, 127i8] }
-- output { [-2i8, -2i8, -1i8, -1i8, 0i8, 0i8, 1i8, 1i8] [0i8, 63i8, 0i8, 63i8, 0i8, 63i8, 0i8, 63i8] }
entry narrow (xs: []i8) = (map (/ 64) xs, map (% 64) xs)

-- ==
-- entry: unsigned
-- input { [0u8, 15u8, 16u8, 255u8] }
-- output { [0u8, 0u8, 1u8, 15u8] [0u8, 15u8, 0u8, 15u8] }
entry unsigned (xs: []u8) = (map (/ 16) xs, map (% 16) xs)
