-- A rotation by any number is one by its remainder: 2^63 - 1 is a multiple of seven.
-- ==
-- tags { no_peer }
-- input { 9223372036854775807i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32] }
-- output { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32] }
-- input { 9223372036854775806i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32] }
-- output { [7i32, 1i32, 2i32, 3i32, 4i32, 5i32, 6i32] }

entry main [n] (k: i64) (xs: [n]i32): [n]i32 = rotate k xs
