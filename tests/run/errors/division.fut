-- Division by zero with each of the four operators.
-- ==
-- entry: div
-- input { 7 2 } output { 3 }
-- input { 7 0 } error: division by zero

-- ==
-- entry: mod
-- input { -7 2 } output { 1 }
-- input { 7 0 } error: division by zero

-- ==
-- entry: quot
-- input { -7 2 } output { -3 }
-- input { 7 0 } error: division by zero

-- ==
-- entry: rem
-- input { -7 2 } output { -1 }
-- input { 7 0 } error: division by zero

entry div (x: i32) (y: i32): i32 = x / y
entry mod (x: i32) (y: i32): i32 = x % y
entry quot (x: i32) (y: i32): i32 = x // y
entry rem (x: i32) (y: i32): i32 = x %% y
