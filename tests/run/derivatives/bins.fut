-- Derivatives of histograms: where no value comes, where values are equal, where some are zero, and in two dimensions.
-- ==
-- entry: saturated
-- input { [5.0, 8.0, 11.0, 2.0] } output { [1.0, 0.0, 0.0, 1.0] }

-- ==
-- entry: greatest
-- input { [3.0, 5.0, 4.0, 9.0] } output { [[1.0, 0.0], [0.0, 4.0]] [0.0, 3.0, 2.0, 0.0] }
-- input { [4.0, 0.0, 4.0, 9.0] } output { [[1.0, 0.0], [3.0, 4.0]] [2.0, 0.0, 0.0, 0.0] }

-- ==
-- entry: product
-- input { [3.0, 5.0, 4.0, 9.0] } output { [[1.0, 24.0], [15.0, 4.0]] [8.0, 6.0, 6.0, 0.0] }
-- input { [0.0, 5.0, 4.0, 9.0] } output { [[1.0, 0.0], [15.0, 4.0]] [8.0, 6.0, 0.0, 0.0] }

entry saturated (dest: [4]f64) =
  vjp (\d ->
         reduce_by_index (copy d) (\x y -> f64.min 10 (x + y)) 0 [0, 0, 1]
                         [1, 2, 3])
      dest (replicate 4 1)

def places: [4](i64, i64) = [(0, 1), (1, 0), (0, 1), (5, 5)]
def seed (_: i64): [2][2]f64 = [[1, 2], [3, 4]]

entry greatest (xs: [4]f64) =
  vjp (\(d, xs) -> reduce_by_index_2d (copy d) f64.max (-f64.inf) places xs)
      ([[0, 0], [0, 7]], xs) (seed 0)

entry product (xs: [4]f64) =
  vjp (\(d, xs) -> reduce_by_index_2d (copy d) (*) 1 places xs)
      ([[1, 1], [2, 1]], xs) (seed 0)
