-- A reduction that starts with something else than the neutral element of its operator has it once in its result, on
-- any number of cores, also if there is nothing else.
-- ==
-- entry: sum
-- input { empty([0]i32) } output { 10 }
-- input { [1, 2] } output { 13 }
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9] } output { 55 }

-- ==
-- entry: from
-- input { 7 empty([0]i32) } output { 7 }
-- input { 7 [1, 2, 3, 4, 5, 6, 7, 8, 9] } output { 52 }

-- ==
-- entry: product
-- input { empty([0]f64) } output { 0.5 }
-- input { [2.0, 4.0, 8.0] } output { 32.0 }

-- ==
-- entry: prefixes
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64] } output { [101i64, 103i64, 106i64, 110i64, 115i64, 121i64, 128i64, 136i64] }

-- ==
-- entry: largest
-- input { empty([0]i32) } output { 5 }
-- input { [1, 2, 3] } output { 5 }
-- input { [1, 8, 3] } output { 8 }

-- ==
-- entry: both
-- input { [1, 2, 3, 4] } output { 20 480 }

-- ==
-- entry: counts
-- input { [0i64, 1i64, 0i64, 2i64, 9i64, 0i64] } output { [7, 5, 5] }

-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] } output { [16, 25] }

-- ==
-- entry: other
-- input { empty([0]i32) } output { 7 }

entry sum (xs: []i32): i32 = reduce (+) 10 xs

entry from (x: i32) (xs: []i32): i32 = reduce (+) x xs

entry product (xs: []f64): f64 = reduce (*) 0.5 xs

entry prefixes (xs: []i64): []i64 = scan (+) 100 xs

entry largest (xs: []i32): i32 = reduce i32.max 5 xs

entry both (xs: []i32): (i32, i32) =
  reduce (\(a, b) (c, d) -> (a + c, b * d)) (10, 20) (zip xs xs)

entry counts (is: []i64): [3]i32 = hist (+) 4 3 is (map (const 1) is)

entry rows (xss: [][]i32): []i32 = map (reduce (+) 10) xss

-- Nobody knows whether seven is neutral here, but where there is nothing it is the result.
entry other (xs: []i32): i32 = reduce (\a b -> a * b + a - b) 7 xs
