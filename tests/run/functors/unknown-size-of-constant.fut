-- A constant of a parametric module, whose size is known only when it is computed, has another size in each application.
-- ==
-- input { 1i64 } output { [10i64, 12i64, 14i64, 16i64, 18i64, 20i64] [14i64, 16i64, 18i64, 20i64] 11i64 }

module above (A: { val k: i64 }) = {
  def xs = filter (> A.k) (iota 10)
  def ys = map (+ 1) xs
}
module a = above { def k = 3i64 }
module b = above { def k = 5i64 }
entry main (i: i64) =
  (map2 (\x y -> x + y + i) a.xs a.ys, map2 (\x y -> x + y + i) b.xs b.ys,
   length a.xs + length b.ys + i)
