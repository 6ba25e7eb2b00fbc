-- The members / % // %% of the modules check their divisor, like the operators.
-- ==
-- tags { no_peer }
-- entry: div
-- input { 7 2 } output { 3 }
-- input { 7 0 } error: division by zero

-- ==
-- entry: mod
-- input { 7 0 } error: division by zero

-- ==
-- entry: quot
-- input { 7u64 0u64 } error: division by zero

-- ==
-- entry: rem
-- input { 7i8 0i8 } error: division by zero

entry div (x: i32) (y: i32): i32 = x i32./ y
entry mod (x: i32) (y: i32): i32 = x i32.% y
entry quot (x: u64) (y: u64): u64 = x u64.// y
entry rem (x: i8) (y: i8): i8 = x i8.%% y
