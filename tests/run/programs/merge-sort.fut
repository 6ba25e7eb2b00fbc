-- A bottom-up merge sort whose merge is by rank.
-- ==
-- input { [8, 3, 5, 3, 9, 1, 7] } output { [1, 3, 3, 5, 7, 8, 9] }
-- input { [2, 1] } output { [1, 2] }
-- input { [1] } output { [1] }
-- input { empty([0]i32) } output { empty([0]i32) }

def merge [n] [m] (xs: [n]i32) (ys: [m]i32): []i32 =
  let rank_in (zs: []i32) (strict: bool) (x: i32) =
    i64.sum (map (\z -> i64.bool (if strict then z < x else z <= x)) zs)
  let px = map2 (\i x -> i + rank_in ys true x) (iota n) xs
  let py = map2 (\j y -> j + rank_in xs false y) (iota m) ys
  in scatter (replicate (n + m) 0) (px ++ py) (xs ++ ys)
def main [n] (xs: [n]i32): [n]i32 =
  let (_, ys) =
    loop (w, ys) = (1, xs) while w < n do
      let zs: [n]i32 =
        loop zs = copy ys for k < (n + 2 * w - 1) / (2 * w) do
          let lo = 2 * w * k
          let mid = i64.min n (lo + w)
          let hi = i64.min n (lo + 2 * w)
          in zs with [lo:hi] = (merge ys[lo:mid] ys[mid:hi] :> [hi - lo]i32)
      in (2 * w, zs)
  in ys
