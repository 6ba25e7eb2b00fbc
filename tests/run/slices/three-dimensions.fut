-- Slices of rank 3, with an index in the middle.
-- ==
-- input { 2i64 3i64 4i64 } output { [[4i64, 5, 6, 7], [16i64, 17, 18, 19]] [[[14i64, 13, 12]]] [0i64, 4, 8] }

def main (n: i64) (m: i64) (k: i64): ([][]i64, [][][]i64, []i64) =
  let a = tabulate_3d n m k (\i j l -> (i * m + j) * k + l)
  in (a[:, 1, :], a[1:, 0:1, 2::-1], a[0, :, 0])
