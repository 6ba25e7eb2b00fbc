-- head, last, tail and init of an empty array.
-- ==
-- entry: first
-- input { [1, 2] } output { 1 }
-- input { empty([0]i32) } error: out of bounds

-- ==
-- entry: final
-- input { [1, 2] } output { 2 }
-- input { empty([0]i32) } error: out of bounds

-- ==
-- entry: rest
-- input { [1] } output { empty([0]i32) }
-- input { empty([0]i32) } error: .

-- ==
-- entry: front
-- input { [1] } output { empty([0]i32) }
-- input { empty([0]i32) } error: .

entry first (xs: []i32): i32 = head xs
entry final (xs: []i32): i32 = last xs
entry rest (xs: []i32): []i32 = tail xs
entry front (xs: []i32): []i32 = init xs
