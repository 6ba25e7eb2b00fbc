-- Histograms of several values together: the least number with the first place of it, and three values with an operator for
-- each.
-- ==
-- input { 0i64 3i64 } output { 6000000000i64 -6i64 0i64 0i64 -12884901888i64 }
-- input { 30000i64 1i64 } output { 0i64 0i64 224985000i64 15000i64 96i64 }
-- input { 30000i64 2i64 } output { 0i64 20014i64 449995000i64 30000i64 288i64 }
-- input { 30000i64 500i64 } output { 353258i64 57598472i64 2681257857i64 178743i64 282489i64 }
-- input { 30000i64 5000i64 } output { 101013215i64 741760017i64 2697804803i64 179862i64 2592254i64 }
-- input { 100i64 5000i64 } output { 29385003057914i64 689i64 30074i64 600i64 -63103806968831i64 }

def weighted [k] (xs: [k]i64): i64 =
  i64.sum (map2 (*) (map (\j -> j % 11 + 1) (iota k)) xs)

def least (x: f32, i: i64) (y: f32, j: i64): (f32, i64) =
  if x < y then (x, i) else if y < x then (y, j)
  else (x, if i < 0 then j else if j < 0 then i else i64.min i j)

def main (n: i64) (k: i64): (i64, i64, i64, i64, i64) =
  let is = tabulate n (\i -> (i * 7919) % (k + 1))
  let vs = tabulate n (\i -> (f32.i64 ((i * 6151) % 10007), i))
  let (values, places) = unzip (hist least (1e9, -1) k is vs)
  let all (a, b, c) (x, y, z) = (a + x, b + y, i32.max c z)
  let (sums, counts, most) =
    unzip3 (hist all (0i64, 0i32, i32.lowest) k is
                 (map (\i -> (i, 1i32, i32.i64 (i % 97))) (iota n)))
  in (weighted (map i64.f32 values), weighted places, weighted sums,
      weighted (map i64.i32 counts),
      weighted (map i64.i32 most))
