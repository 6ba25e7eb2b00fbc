-- A range downwards that goes the wrong way or has no stride is an error.
-- ==
-- entry: downto
-- input { 1 5 } error: 1..>5
-- input { 5 4 } output { [5] }

-- ==
-- entry: stride
-- input { 5 5 1 } error: 5..5..>1
-- input { 5 6 1 } error: 5..6..>1
-- input { 6 4 1 } output { [6, 4, 2] }

entry downto (a: i32) (b: i32): []i32 = a..>b
entry stride (a: i32) (s: i32) (b: i32): []i32 = a..s..>b
