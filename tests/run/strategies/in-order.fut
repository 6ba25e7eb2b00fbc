-- Reductions that an attribute makes sequential go from left to right: most of these numbers are lost in the first one.
-- ==
-- entry: sum
-- input { 64i64 } output { 0f32 0f32 0f32 }

-- ==
-- entry: sums
-- input { 3i64 64i64 } output { [0f32, 0f32, 0f32] }

module s = import "strategy"

def numbers (n: i64): [n]f32 =
  tabulate n (\i -> if i == 0 then 1e8 else if i == n - 1 then -1e8 else 1)

#[noinline] def plain [n] (xs: [n]f32) = reduce (+) 0 xs

entry sum (n: i64) =
  let xs = opaque (numbers n)
  in (#[sequential] reduce (+) 0 xs, s.reduce_seq (+) 0 xs,
      #[sequential] plain xs)

entry sums (n: i64) (m: i64) =
  let xss = opaque (replicate n (numbers m))
  in #[sequential] map (\xs -> reduce (+) 0 xs) xss
