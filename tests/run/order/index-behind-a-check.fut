-- The check of one index says that there is another one. The loads stay behind it, whatever is fused around them.
-- ==
-- input { [4i64, 5i64] [[7i64, 8i64], [9i64, 1i64]] }
-- error: Index \[9\] out of bounds for array of shape \[2\].
-- input { [1i64, 0i64] [[7i64, 8i64], [9i64, 1i64]] }
-- output { [1i64, 0i64] 17i64 }
-- input { empty([0]i64) empty([2][0]i64) }
-- error: Index \[0\] out of bounds for array of shape \[0\].
entry main [n] (xs: [n]i64) (rows: [2][n]i64): ([n]i64, i64) =
  let ys = scatter (copy xs) (iota n) xs
  let sum = reduce (+) 0 ys
  let v = (map (+ 1) (rows[1]))[sum] + rows[0, 0]
  let high = reduce i64.max i64.lowest ys
  let w = assert (high % 20 >= 0) (high / 1)
  in (ys, v + 8 + w * 0)
