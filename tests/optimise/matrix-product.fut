-- The product of two matrices.
-- ==
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 6f64, 7f64], [8f64, 9f64, 10f64]] }
-- output { [[21f64, 24f64, 27f64], [47f64, 54f64, 61f64]] }
-- input { empty([0][2]f64) [[1f64], [2f64]] }
-- output { empty([0][1]f64) }

def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

def product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 =
  map (\row -> map (\column -> dot row column) (transpose b)) a

def main [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64): [n][p]f64 = product a b
