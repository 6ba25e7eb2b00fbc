-- expect: window-without-overlap, window-without-overlap
-- target: c
module s = import "strategy"

entry apart [n] (xs: [n]f32) = map (\w -> w[0] + w[1]) (#[window] s.slide 2 3 xs)
entry wish [n] (xs: [n]f32) = map (\w -> w[0] + w[1]) (#[try(window)] s.slide 2 2 xs)
entry overlapping [n] (xs: [n]f32) = map (\w -> w[0] + w[1]) (#[window] s.slide 2 1 xs)
