-- A range that goes the wrong way or has no stride is an error.
-- ==
-- entry: upto
-- input { 5 1 } error: 5..<1
-- input { 5 4 } error: 5..<4

-- ==
-- entry: stride
-- input { 1 1 5 } error: 1..1..<5
-- input { 1 0 5 } error: 1..0..<5
-- input { 1 3 6 } output { [1, 3, 5] }

entry upto (a: i32) (b: i32): []i32 = a..<b
entry stride (a: i32) (s: i32) (b: i32): []i32 = a..s..<b
