-- expect: attribute-refused, attribute-refused, attribute-refused, attribute-refused
-- target: c
module s = import "strategy"

-- The slices are a result as well.
entry whole [n] (xs: [n]f32) =
  let ws = #[window] s.slide 2 1 xs
  in (map (\w -> w[0] + w[1]) ws, ws)

entry unknown [n] (k: i64) (xs: [n]f32) = map (\w -> w[0]) (#[window] s.slide (k + 1) 1 xs)

entry pinned [n] (xs: [n]f32) = #[simd] map (\w -> w[0] + w[1]) (#[window] s.slide 2 1 xs)

entry rows [n] [m] (xss: [n][m]f32) = map (\w -> map2 (+) w[0] w[1]) (#[window] s.slide 2 1 xss)
