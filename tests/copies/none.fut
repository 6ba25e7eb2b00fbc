-- expect: none
-- What is built in place, allocated before the loop or small makes nobody wait.

#[noinline]
def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

entry powers [n] (k: i32) (a: [n][n]f64): [n][n]f64 =
  loop p = a for _i < k do map (\row -> map (dot row) (transpose (copy a))) p

entry padded [n] [m] (a: [n][m]f64): [n][]f64 = map (\row -> [row[0]] ++ map (* 2) row ++ [row[m - 1]]) a

entry sums [n] [m] (a: [n][m]f64): [n]f64 = map (\row -> f64.maximum (scan (+) 0 row)) a

entry small [n] (xs: [n]f64): [n]f64 =
  map (\x -> let a = loop a = [x, 1, 0] for i < 2 do a with [i + 1] = a[i] * x in a[0] + a[1] + a[2]) xs

entry once [n] (xs: [n]f64): ([n]f64, []f64) = (copy xs, xs ++ xs)
