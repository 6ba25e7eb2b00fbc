-- A matrix with constant sizes in the type of an entry point.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { 21 }
-- input { [[1, 2], [4, 5]] } error: .
-- input { [[1, 2, 3]] } error: .

def main (xss: [2][3]i32): i32 = i32.sum (flatten xss)
