-- Derivatives of reductions, scans and histograms by their operators.
-- ==
-- entry: products
-- input { [2.0, 3.0, 4.0] } output { [12.0, 8.0, 6.0] }
-- input { [2.0, 0.0, 4.0] } output { [0.0, 8.0, 0.0] }
-- input { [0.0, 0.0, 4.0] } output { [0.0, 0.0, 0.0] }

-- ==
-- entry: extremes
-- input { [2.0, 1.0, 4.0, 1.0, 4.0] } output { [0.0, 1.0, 0.0, 0.0, 0.0] [0.0, 0.0, 1.0, 0.0, 0.0] }

-- ==
-- entry: scans
-- input { [2.0, 3.0, 4.0] } output { [3.0, 2.0, 1.0] [16.0, 10.0, 6.0] }

-- ==
-- entry: histograms
-- input { [0i64, 1i64, 0i64, 7i64, 1i64] [2.0, 3.0, 5.0, 7.0, 11.0] }
-- output { [1.0, 10.0, 1.0, 0.0, 10.0] [5.0, 110.0, 2.0, 0.0, 30.0] [0.0, 0.0, 1.0, 0.0, 10.0] }

-- ==
-- entry: filtered
-- input { [1.0, -2.0, 3.0] } output { [2.0, 0.0, 6.0] }

entry products [n] (xs: [n]f64) = vjp f64.product xs 1
entry extremes [n] (xs: [n]f64) = (vjp f64.minimum xs 1, vjp f64.maximum xs 1)

-- Prefixes of 2, 3, 4: the products 2, 6, 24 have the derivatives 1+3+12, 2+8, 6.
entry scans [n] (xs: [n]f64) =
  (vjp (scan (+) 0) xs (replicate n 1), vjp (scan (*) 1) xs (replicate n 1))

entry histograms [n] (is: [n]i64) (xs: [n]f64) =
  let by op ne = vjp (\xs -> reduce_by_index [ne, ne] op ne is xs) xs [1, 10]
  in (by (+) 0, by (*) 1, by f64.max (-1))

entry filtered [n] (xs: [n]f64) =
  vjp (\xs -> f64.sum (map (\x -> x * x) (filter (> 0) xs))) xs 1
