-- `&&` and `||` as functions in an argument on which a size depends.
-- ==
-- entry: all any left right
-- input { 2i64 } output { [1i64, 2i64] [3i64] }

def both [n] (xs: [n]i64) (c: i64): ?[k].([k]i64, [n - k]i64) =
  let k = i64.min n c in (xs[0:k], xs[k:n])

entry all (x: i64) =
  let [k] [l] (ys: [k]i64, zs: [l]i64) =
    both [1, 2, 3] (if reduce (&&) true (replicate x true) then x else 0)
  in (map (\i -> ys[i]) (iota k), map (+ (k - k)) zs : [l]i64)

entry any (x: i64) =
  let [k] [l] (ys: [k]i64, zs: [l]i64) =
    both [1, 2, 3] (if reduce (||) false (replicate x false) then 0 else x)
  in (map (\i -> ys[i]) (iota k), map (+ (k - k)) zs : [l]i64)

entry left (x: i64) =
  let [k] [l] (ys: [k]i64, zs: [l]i64) =
    both [1, 2, 3] (if (true &&) (x > 0) then x else 0)
  in (map (\i -> ys[i]) (iota k), map (+ (k - k)) zs : [l]i64)

entry right (x: i64) =
  let [k] [l] (ys: [k]i64, zs: [l]i64) =
    both [1, 2, 3] (if (|| false) (x > 0) then x else 0)
  in (map (\i -> ys[i]) (iota k), map (+ (k - k)) zs : [l]i64)
