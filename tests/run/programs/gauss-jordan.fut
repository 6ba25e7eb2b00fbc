-- Solution of linear equations by Gauss-Jordan elimination with pivoting.
-- ==
-- input { [[0.0, 2.0], [1.0, 1.0]] [4.0, 3.0] } output { [1.0, 2.0] }
-- input { [[2.0]] [8.0] } output { [4.0] }

def main [n] (a: [n][n]f64) (b: [n]f64): [n]f64 =
  let m = map2 (\row x -> row ++ [x]) a b
  let m =
    loop m for k < n do
      let (p, _) =
        reduce (\(i, x) (j, y) ->
                  if f64.abs x >= f64.abs y then (i, x) else (j, y))
               (-1, 0)
               (map (\i -> (i, if i < k then 0 else m[i, k])) (iota n))
      let row_p = map (/ m[p, k]) m[p]
      let row_k = m[k]
      in map2 (\i row ->
                 if i == k then row_p
                 else
                   let row = if i == p then row_k else row
                   in map2 (\x y -> x - row[k] * y) row row_p)
              (iota n) m
  in map last m
