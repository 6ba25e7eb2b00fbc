-- The error that comes first in the order of evaluation is not specified, but one is reported.
-- ==
-- input { [1, 2] 1 } output { 2 }
-- input { [1, 2] 5 } error: .

def main (xs: []i32) (i: i32): i32 = assert (i < 2) xs[i]
