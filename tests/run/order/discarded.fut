-- A value is computed though nobody wants it: a check in it may fail.
-- ==
-- entry: asserted
-- input { 1 } output { 3 }
-- input { 0 } error: Assertion is false

-- ==
-- entry: divided
-- input { 2 } output { 3 }
-- input { 0 } error: division by zero

-- ==
-- entry: nested
-- input { 2 } output { 5 }
-- input { 0 } error: division by zero

-- ==
-- entry: indexed
-- input { [1, 2] 1i64 } output { 2i64 }
-- input { [1, 2] 2i64 } error: out of bounds

-- ==
-- entry: typed
-- input { 1 } output { 3 }
-- input { -1 } error: Assertion is false

-- ==
-- entry: in_map
-- input { [1, 2] } output { [2, 3] }
-- input { [1, 0] } error: division by zero

-- ==
-- entry: function
-- input { 0 } output { 4 }

entry asserted (x: i32): i32 = let _ = assert (x > 0) x in 3

entry divided (x: i32): i32 = let _ = 10 / x in 3

entry nested (x: i32): i32 = let (_, (y, _)) = (1 / x, (5, 2 / x)) in y

entry indexed [n] (xs: [n]i32) (i: i64): i64 = let _ = xs[i] in n

entry typed (x: i32): i32 = let (_: i32) = assert (x >= 0) x in 3

entry in_map (xs: []i32): []i32 = map (\x -> let _ = 6 / x in x + 1) xs

-- A function that is not applied does nothing.
entry function (x: i32): i32 = let _ = \(y: i32) -> y / x in 4
