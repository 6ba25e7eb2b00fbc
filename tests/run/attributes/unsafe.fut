-- #[unsafe] leaves out checks in correct code.
-- ==
-- input { [1, 2, 3] [2i64, 0, 1] } output { [3, 1, 2] }
-- input { empty([0]i32) empty([0]i64) } output { empty([0]i32) }

def main [n] (xs: [n]i32) (is: [n]i64): [n]i32 = #[unsafe] map (\i -> xs[i]) is
