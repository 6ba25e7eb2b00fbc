-- target: c
-- A product of matrices, whose last tiles overlap others.
def main [n] (a: [n][n]i64) (b: [n][n]i64): [n][n]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
