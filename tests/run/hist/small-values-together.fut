-- A histogram of pairs of one and two bytes, beside one of single numbers in the same loop.
-- ==
-- input { 0i64 3i64 } output { 0i64 0i64 0i64 }
-- input { 30000i64 1i64 } output { 168i64 45000i64 224985000i64 }
-- input { 30000i64 2i64 } output { 248i64 90000i64 449995000i64 }
-- input { 30000i64 500i64 } output { 374657i64 536229i64 2681257857i64 }
-- input { 30000i64 5000i64 } output { 3840771i64 539586i64 2697804803i64 }
-- input { 100i64 5000i64 } output { 30074i64 1800i64 30074i64 }

def weighted [k] (xs: [k]i64): i64 =
  i64.sum (map2 (*) (map (\j -> j % 11 + 1) (iota k)) xs)

def main (n: i64) (k: i64): (i64, i64, i64) =
  let is = tabulate n (\i -> (i * 7919) % (k + 1))
  let both (a, b) (x, y) = (a + x, b + y)
  let (bytes, words) =
    unzip (hist both (0u8, 0u16) k is (map (\i -> (u8.i64 i, 3u16)) (iota n)))
  in (weighted (map i64.u8 bytes), weighted (map i64.u16 words),
      weighted (hist (+) 0 k is (iota n)))
