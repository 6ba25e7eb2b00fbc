-- Histograms over rows, of which each element is combined, and over two dimensions with indices out of range.
-- ==
-- input { 0i64 3i64 2i64 } output { 0i64 0i64 0i64 21000000i64 }
-- input { 5000i64 1i64 3i64 } output { 749655i64 7502000i64 749655i64 0i64 }
-- input { 5000i64 4i64 7i64 } output { 10940767i64 60906251i64 10940767i64 0i64 }
-- input { 20000i64 6i64 9i64 } output { 66422839i64 1207837470i64 66422839i64 0i64 }
-- input { 50i64 40i64 5i64 } output { 100097i64 6902i64 100097i64 81081i64 }
-- input { 3000i64 0i64 3i64 } output { 0i64 0i64 0i64 0i64 }

def weighted [k] [m] (xs: [k][m]i64): i64 =
  i64.sum (map2 (*) (map (\j -> j % 17 + 1) (iota (k * m))) (flatten xs))

def main (n: i64) (k: i64) (m: i64): (i64, i64, i64, i64) =
  let is = tabulate n (\i -> (i * 7919) % (k + 1))
  let vs = tabulate_2d n m (\i c -> (i * (c + 3)) % 101)
  let rows =
    reduce_by_index (replicate k (replicate m 0)) (map2 (+)) (replicate m 0) is
                    vs
  let points = tabulate n (\i -> ((i * 7919) % (k + 1), (i * 31) % (m + 2) - 1))
  let grid =
    reduce_by_index_2d (replicate k (replicate m 0)) (+) 0 points (iota n)
  let both = map2 (\(a, b) (x, y) -> (a + x, i64.min b y))
  let pairs =
    reduce_by_index (replicate k (replicate m (0, 1000000))) both
                    (replicate m (0, 1000000)) is
                    (map (map (\v -> (v, v))) vs)
  let (sums, least) = unzip (map unzip pairs)
  in (weighted rows, weighted grid, weighted sums, weighted least)
