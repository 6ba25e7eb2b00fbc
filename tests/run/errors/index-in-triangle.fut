-- The rows of a triangle in one array, for every element of another: whether all indices are there is known in front,
-- but nothing fails if there is no element, or no row.
-- ==
-- input { 3i64 [1i64, 2i64] [1i64, 10i64, 100i64] }
-- output { [333i64, 666i64] }
-- input { 3i64 [1i64, 2i64] [1i64, 10i64] }
-- error: Index \[2\] out of bounds for array of shape \[2\]
-- input { 4i64 [1i64, 2i64] [1i64, 10i64, 100i64] }
-- error: Index \[[345]\] out of bounds for array of shape \[3\]
-- input { 4i64 [1i64, 2i64] empty([0]i64) }
-- error: Index \[0\] out of bounds for array of shape \[0\]
-- input { 100i64 empty([0]i64) [1i64, 10i64] }
-- output { empty([0]i64) }
-- input { 1i64 [1i64, 2i64] empty([0]i64) }
-- output { [0i64, 0i64] }

def row (n: i64) (l: []i64) (x: i64) (i: i64): i64 =
  let start = i * (i - 1) / 2
  in loop sum = 0 for j < i do sum + l[start + j] * x * n

entry main (n: i64) (xs: []i64) (l: []i64): []i64 =
  map (\x -> i64.sum (tabulate n (row n l x))) xs
