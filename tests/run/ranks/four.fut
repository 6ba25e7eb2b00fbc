-- An array of rank 4: build, index, slice, transpose, reduce.
-- ==
-- input { 2i64 } output { 7i64 [[0i64, 1], [2i64, 3]] [[[4i64, 5], [6i64, 7]]] 120i64 [0i64, 8] }
-- input { 1i64 } error: out of bounds

def main (n: i64): (i64, [][]i64, [][][]i64, i64, []i64) =
  let a =
    tabulate n (\i ->
                  tabulate_3d n n n (\j k l -> ((i * n + j) * n + k) * n + l))
  in (a[0, 1, 1, 1], a[0, 0], a[0, 1:], i64.sum (flatten_4d a), a[:, 0, 0, 0])
