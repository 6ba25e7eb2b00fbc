-- flatten, flatten_3d and flatten_4d.
-- ==
-- input { 2i64 }
-- output { [0i64, 1, 1, 2] [0i64, 1, 1, 2, 1, 2, 2, 3] [0i64, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4] }
-- input { 1i64 } output { [0i64] [0i64] [0i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }

def main (n: i64): ([]i64, []i64, []i64) =
  let a2 = tabulate_2d n n (\i j -> i + j)
  let a3 = tabulate_3d n n n (\i j k -> i + j + k)
  let a4 = tabulate n (\i -> tabulate_3d n n n (\j k l -> i + j + k + l))
  in (flatten a2, flatten_3d a3, flatten_4d a4)
