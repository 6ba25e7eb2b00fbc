-- expect: lane-without-block
module s = import "strategy"

entry main [n] (xs: [n]f32) = s.map_lane (+ 1) xs
