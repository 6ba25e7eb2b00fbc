-- unflatten of an array whose size is not the product.
-- ==
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [4, 5, 6]] }
-- input { 0i64 3i64 empty([0]i32) } output { empty([0][3]i32) }
-- input { 2i64 2i64 [1, 2, 3] } error: .
-- input { 2i64 2i64 [1, 2, 3, 4, 5] } error: .

def main (n: i64) (m: i64) (xs: []i32): [n][m]i32 = unflatten (xs :> [n * m]i32)
