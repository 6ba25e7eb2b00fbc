-- expect: level-refused, level-refused, level-refused
-- target: opencl
entry reduction [n] (xs: [n]f32) = #[block] reduce (+) 0 xs
entry irregular [n] (ns: [n]i64) = #[block] map (\k -> i64.sum (#[lane] map (* k) (iota k))) ns
entry in_thread [n] (ns: [n]i64) = #[grid] map (\k -> (loop xs = [k] for i < k do xs ++ [i])[k / 2]) ns
