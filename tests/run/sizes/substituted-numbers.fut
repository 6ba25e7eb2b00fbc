-- Sizes that mention numbers of other types than that of sizes, into which other sizes are put.

def both [n] (xs: [n]i32) (c: i64): ?[k].([k]i32, [n - k]i32) =
  let k = i64.min n c in (xs[0:k], xs[k:n])

-- ==
-- entry: joined
-- input { [1i64, -2i64, 3i64] } output { 6i64 }
-- input { [1i64, -2i64, -3i64, 7i64, 8i64] } output { 5i64 }
entry joined [m] (ys: [m]i64): i64 =
  let [a] [b] (_: [a]i64, _: [b]i64) = partition (< 0) ys
  let [c] [d] (_: [c]i32, _: [d]i32) =
    both (replicate 9 0i32) (length (replicate b 0i32 ++ replicate 1 0i32))
  let v: [d]i64 = replicate d 0
  in length v

-- The type of the numbers follows from what stands beside them.
-- ==
-- entry: beside
-- input { [1i64, -2i64, 3i64] [1u8, 2u8] } output { 5i64 }
-- input { [1i64, -2i64, 3i64, 4i64] [1u8] } output { 5i64 }
entry beside [m] [l] (ys: [m]i64) (zs: [l]u8): i64 =
  let [a] [b] (_: [a]i64, _: [b]i64) = partition (< 0) ys
  let [c] [d] (_: [c]i32, _: [d]i32) =
    both (replicate 9 0) (length (replicate b 0 ++ zs))
  let v: [d]i64 = replicate d 0
  in length v

-- ==
-- entry: pairs
-- input { [1i64, -2i64, 3i64] } output { 6i64 }
entry pairs [m] (ys: [m]i64): i64 =
  let [a] [b] (_: [a]i64, _: [b]i64) = partition (< 0) ys
  let size = length (replicate b (1f32, true) ++ [(2f32, false)])
  let [c] [d] (_: [c]i32, _: [d]i32) = both (replicate 9 0) size
  let [e] [f] (_: [e]i32, _: [f]i32) =
    both (replicate 9 0) (length (replicate b (1f32, true) ++ [(2f32, false)]))
  let v: [f]i64 = replicate f 0
  in assert (d == f) (length v)
