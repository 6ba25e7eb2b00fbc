-- A matrix as the product of a lower and an upper triangular one, both in the place of the matrix; without pivots.
-- ==
-- input { [[2f64, 1f64], [4f64, 5f64]] }
-- output { [[2f64, 1f64], [2f64, 3f64]] }
-- input { [[1f64, 2f64, 3f64], [2f64, 5f64, 8f64], [3f64, 8f64, 14f64]] }
-- output { [[1f64, 2f64, 3f64], [2f64, 1f64, 2f64], [3f64, 2f64, 1f64]] }

-- | What is left of a row when a multiple of the pivot's row is taken away.
def eliminate [n] (k: i64) (pivot: [n]f64) (row: [n]f64): [n]f64 =
  let factor = row[k] / pivot[k]
  in map3 (\j p x ->
             if j < k then x else if j == k then factor else x - factor * p)
          (iota n) pivot row

def step [n] (a: [n][n]f64) (k: i64): [n][n]f64 =
  let pivot = a[k]
  in map2 (\i row -> if i <= k then row else eliminate k pivot row) (iota n) a

def decompose [n] (a: [n][n]f64): [n][n]f64 = loop a for k < n do step a k

def main [n] (a: [n][n]f64): [n][n]f64 = decompose a
