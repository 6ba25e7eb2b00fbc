-- An entry point without parameters.
-- ==
-- entry: answer
-- input { } output { 42 }

-- ==
-- entry: numbers
-- input { } output { [0i64, 1, 2] true }

entry answer: i32 = 42
entry numbers: ([]i64, bool) = (iota 3, true)
