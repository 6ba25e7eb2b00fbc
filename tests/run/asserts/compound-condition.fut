-- A condition with several conjuncts, and an assertion in a function that is called.
-- ==
-- input { 5i64 2i64 } output { 10i64 }
-- input { 5i64 5i64 } error: i < n
-- input { 5i64 -1i64 } error: .

def checked (n: i64) (i: i64): i64 = assert (i >= 0 && i < n) (n * i)
def main (n: i64) (i: i64): i64 = checked n i
