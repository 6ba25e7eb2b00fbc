-- Two entry points that are tested with the same cases.
-- ==
-- entry: by_loop by_reduce
-- input { [1, 2, 3] } output { 6 }
-- input { [7] } output { 7 }
-- input { empty([0]i32) } output { 0 }

entry by_loop (xs: []i32): i32 = loop s = 0 for x in xs do s + x
entry by_reduce (xs: []i32): i32 = reduce (+) 0 xs
