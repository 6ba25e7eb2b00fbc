-- Sizes that mention what goes out of scope: where one of them is the size of an array, the others are still known in terms
-- of it.
-- ==
-- entry: projection
-- input { [1, 2, 3, 4] } output { [1] [2, 3, 4] }
-- input { [9] } output { [9] empty([0]i32) }

-- ==
-- entry: field
-- input { [1, 2, 3, 4] } output { [1, 2] [3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: found_by_loop
-- input { [1, 2, 13, 4] } output { [1, 2] [13, 4] }
-- input { [1, 2] } output { [1, 2] empty([0]i32) }

-- ==
-- entry: product
-- input { [1, 2, 13, 4, 5] } output { [1, 2] [7, 7, 7, 7] [13, 4, 5] }

-- ==
-- entry: two_sizes
-- input { [1, 2, 3, 4] } output { [1] [2, 3] [4] }

-- ==
-- entry: branches
-- input { [2i64, 1i64] [1, 2, 3, 4] } output { [1, 2, 3] [4] }
-- input { [0i64, 1i64] [1, 2, 3, 4] } output { [1] [2, 3, 4] }

-- ==
-- entry: record_in_module
-- input { [1, 2, 3] } output { 1i64 2i64 [2, 3, 1] }

-- ==
-- entry: in_map
-- input { [[1, 2, 3], [4, 5, 6]] } output { [4, 10] }

def split_first [n] (xs: [n]i32): ?[k].([k]i32, [n - k]i32) =
  let c = (1i64, 2i64) in (xs[0:c.0], xs[c.0:n])

entry projection [n] (xs: [n]i32) = split_first xs

entry field [n] (xs: [n]i32): ?[k].([k]i32, [n - k]i32) =
  let r = {at = i64.min 2 n, unused = 1i32} in (xs[0:r.at], xs[r.at:n])

entry found_by_loop [n] (xs: [n]i32): ?[k].([k]i32, [n - k]i32) =
  let p = loop (i, j) = (0i64, 0i64) while i < n && xs[i] < 10 do (i + 1, j + i)
  in (take p.0 xs, drop p.0 xs)

def half (n: i64) = n / 2

entry product [n] (xs: [n]i32): ?[k].([k]i32, [k * 2]i32, [n - k]i32) =
  let c = {v = half n} in (xs[0:c.v], replicate (c.v * 2) 7, xs[c.v:n])

entry two_sizes [n] (xs: [n]i32): ?[k][l].([k]i32, [l]i32, [n - k - l]i32) =
  let c = (1i64, 2i64)
  in (xs[0:c.0], xs[c.0:c.0 + c.1] :> [c.1]i32,
      xs[c.0 + c.1:n] :> [n - c.0 - c.1]i32)

-- The branches differ in one size, and agree in how the other depends on it. The peer does not see that.
def at_either [n] (is: [2]i64) (xs: [n]i32): ?[k].([k]i32, [n - k]i32) =
  if is[0] > 0
  then let js = map (+ 1) is in (xs[0:js[0]], xs[js[0]:n])
  else let d = is[1] % n in (xs[0:d], xs[d:n])

entry branches [n] (is: [2]i64) (xs: [n]i32) = at_either is xs

module m = {
  def cut [n] (xs: [n]i32): ?[k].{first: [k]i32, rest: [n - k]i32} =
    let c = (xs, half n) in {first = xs[0:c.1], rest = xs[c.1:n]}
}

entry record_in_module [n] (xs: [n]i32): (i64, i64, []i32) =
  let r = m.cut xs
  in (length r.first, length r.rest, r.rest ++ r.first)

entry in_map (xss: [][]i32): []i32 =
  map (\xs ->
         let (a, b) = split_first xs
         in i32.sum (map2 (\i x -> i32.i64 i * x) (indices b) b) + i32.sum a)
      xss
