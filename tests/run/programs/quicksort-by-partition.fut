-- A quicksort with an explicit stack of segments.
-- ==
-- input { [4, 9, 1, 7, 3, 3] } output { [1, 3, 3, 4, 7, 9] }
-- input { [1, 2, 3] } output { [1, 2, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: [n]i32): [n]i32 =
  let stack = replicate (2 * n + 2) (0i64, 0i64)
  let stack[0] = (0, n)
  let (xs, _, _) =
    loop (xs, stack, top) = (copy xs, stack, 1i64) while top > 0 do
      let (lo, hi) = stack[top - 1]
      in if hi - lo < 2 then (xs, stack, top - 1)
         else
           let pivot = xs[lo]
           let (less, rest) = partition (< pivot) xs[lo:hi]
           let (same, more) = partition (== pivot) rest
           let all_of = less ++ same ++ more
           let k = length less
           let l = length same
           let xs = xs with [lo:hi] = (all_of :> [hi - lo]i32)
           let stack = stack with [top - 1] = (lo, lo + k)
           let stack = stack with [top] = (lo + k + l, hi)
           in (xs, stack, top + 1)
  in xs
