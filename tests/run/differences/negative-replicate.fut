-- replicate of a negative size is an error; the peer's program dies when it allocates.
-- ==
-- tags { no_peer }
-- input { 2i64 5 } output { [5, 5] }
-- input { 0i64 5 } output { empty([0]i32) }
-- input { -2i64 5 } error: .

def main (n: i64) (x: i32): []i32 = replicate n x
