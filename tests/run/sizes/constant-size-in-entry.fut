-- An entry point with a constant size refuses other sizes.
-- ==
-- input { [1, 2, 3] } output { 6 }
-- input { [1, 2] } error: .

def main (xs: [3]i32): i32 = xs[0] + xs[1] + xs[2]
