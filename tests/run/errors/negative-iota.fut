-- iota of a negative number.
-- ==
-- input { 2i64 } output { [0i64, 1] }
-- input { 0i64 } output { empty([0]i64) }
-- input { -1i64 } error: .

def main (n: i64): []i64 = iota n
