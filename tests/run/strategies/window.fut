-- Windows that move along: what two slices have in common is read once, and computed once if it is a source.

module s = import "strategy"

-- ==
-- entry: sums
-- input { [1i32, 2, 4, 8, 16] } output { [7i32, 14, 28] }
-- input { [1i32, 2, 4] } output { [7i32] }
-- input { [1i32, 2] } output { empty([0]i32) }

entry sums [n] (xs: [n]i32): []i32 =
  map (\w -> w[0] + w[1] + w[2]) (#[window] s.slide 3 1 xs)

-- ==
-- entry: of_source
-- input { [1i32, 2, 4, 8, 16] } output { [62i32, 1016, 16352] }

entry of_source [n] (xs: [n]i32): []i32 =
  map (\w -> w[0] + w[1] * w[2] - w[0] * 3)
      (#[window] s.slide 3 1 (#[source] map (\x -> x * x) xs))

-- ==
-- entry: in_steps
-- input { [1i32, 2, 3, 4, 5, 6, 7] } output { 37i32 }

entry in_steps [n] (xs: [n]i32): i32 =
  reduce (+) 0 (map (\w -> w[0] + w[1] * 2 + w[2]) (#[window] s.slide 3 2 xs))
  - 11

-- ==
-- entry: of_pairs
-- input { [1i32, 2, 3, 4] [5i32, 6, 7, 8] } output { [15i32, 19, 23] [1i32, 2, 3] }

entry of_pairs [n] (xs: [n]i32) (ys: [n]i32): ([]i32, []i32) =
  unzip (map (\w -> (w[1].0 * 3 + w[0].1 + 4, w[0].0))
             (#[window] s.slide 2 1 (zip xs ys)))

-- Columns of a matrix in parallel, each from top to bottom.
-- ==
-- entry: columns
-- input { [[1i32, 2], [3, 4], [5, 6], [7, 8]] } output { [[4i32, 6], [8, 10], [12, 14]] }

entry columns [n] [m] (xss: [n][m]i32): [][]i32 =
  transpose (map (\column ->
                    map (\w -> w[0] + w[1]) (#[window] s.slide 2 1 column))
                 (transpose xss))

-- A window with padded edges, all of which is summed.
-- ==
-- entry: padded
-- input { [1i32, 2, 3, 4] } output { [3i32, 6, 9, 7] }

entry padded [n] (xs: [n]i32): []i32 =
  map (\w -> reduce (+) 0 w)
      (#[window] s.slide 3 1 (#[source] s.pad_const 1 1 0 xs))
