-- The sizes of an unflattened array must be right, and not only right modulo 2^64.
-- ==
-- tags { no_peer }
-- input { 4294967296i64 4294967296i64 empty([0]i32) } error: unflatten
-- input { 6148914691236517206i64 3i64 [1, 2] } error: unflatten
-- input { 0i64 4294967296i64 empty([0]i32) } output { empty([0][4294967296]i32) }
-- input { 4294967296i64 0i64 empty([0]i32) } output { empty([4294967296][0]i32) }
-- input { 2i64 1i64 [1, 2] } output { [[1], [2]] }

def main (n: i64) (m: i64) (xs: []i32): [n][m]i32 = unflatten (xs :> [n * m]i32)
