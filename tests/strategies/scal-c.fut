-- Each element in vectors.
-- target: c
module s = import "strategy"

-- ==
-- input { 3f32 [1f32, 2, 3, 4] } output { [3f32, 6, 9, 12] }
entry main [n] (a: f32) (xs: [n]f32): [n]f32 = #[simd(8)] map (* a) xs
