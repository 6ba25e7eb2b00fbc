-- Global arrays computed from other globals are shared by several uses.
-- ==
-- input { 2i64 } output { 4i64 10i64 [0i64, 1, 4, 9, 16] }

def size: i64 = 5
def squares: [size]i64 = map (\i -> i * i) (iota size)
def total = reduce (+) 0 (iota size)
def main (i: i64): (i64, i64, [size]i64) = (squares[i], total, copy squares)
