-- expect: size-mismatch
-- The unknown size of a constant is another one in each application of the parametric module.
module above (A: {val k: i64}) = { def xs = filter (> A.k) (iota 10) }
module a = above {def k = 3i64}
module b = above {def k = 5i64}
entry main (i: i64) = map2 (\x y -> x + y + i) a.xs b.xs
