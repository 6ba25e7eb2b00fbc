-- Several entry points in one program, one of them called main.
-- ==
-- entry: double
-- input { 4 } output { 8 }
-- input { -2147483648 } output { 0 }

-- ==
-- entry: sum
-- input { [1, 2, 3] } output { 6 }
-- input { empty([0]i32) } output { 0 }

-- ==
-- entry: main
-- input { 1 } output { 2 }

entry double (x: i32): i32 = x * 2
entry sum (xs: []i32): i32 = i32.sum xs
def main (x: i32): i32 = double x
