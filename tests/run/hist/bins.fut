-- Histograms with from none to very many bins, with indices out of range at both ends: sum, least, greatest, product and
-- exclusive or. Each result is added up with weights.
-- ==
-- input { 0i64 0i64 } output { 0i64 0i64 0i64 0i64 0i64 }
-- input { 5i64 0i64 } output { 0i64 0i64 0i64 0i64 0i64 }
-- input { 1000i64 1i64 } output { 0i64 -492i64 492i64 542643853i64 698i64 }
-- input { 40000i64 1i64 } output { -6500i64 -500i64 499i64 -54048003i64 59434i64 }
-- input { 40000i64 3i64 } output { 8000i64 -2984i64 2986i64 467375110i64 183296i64 }
-- input { 40000i64 255i64 } output { -2126485i64 -16205678i64 16175370i64 -5331594467514i64 440491183i64 }
-- input { 40000i64 1000i64 } output { -6407568i64 -239792740i64 239336816i64 32418466677108i64 19397951984i64 }
-- input { 100i64 1000i64 } output { -497165i64 44958402835i64 -44959397165i64 5642070i64 2570785i64 }
-- input { 300000i64 8192i64 } output { -550894830i64 -12459501856i64 12430960088i64 664213630687516i64 6221566959934i64 }
-- input { 300000i64 9400i64 } output { -651909520i64 -20760737888i64 20719986148i64 371547285762588i64 2164578393760i64 }
-- input { 1000000i64 20000i64 } output { -4990739580i64 -96567127306i64 96367726094i64 -960444123307392i64 58392812837048i64 }
-- input { 40000i64 100000i64 } output { -825779795i64 300018004320205i64 -300019655879795i64 79999070922110i64 39997035436055i64 }

def weighted [k] (xs: [k]i64): i64 = i64.sum (map2 (*) (map (+ 1) (iota k)) xs)

def main (n: i64) (k: i64): (i64, i64, i64, i64, i64) =
  let is = tabulate n (\i -> (i * 7919) % (k + 2) - 1)
  let vs = tabulate n (\i -> (i * 31) % 1000 - 500)
  in (weighted (hist (+) 0 k is vs),
      weighted (hist i64.min 100000 k is vs),
      weighted (map i64.i32 (hist i32.max (-100000) k is (map i32.i64 vs))),
      weighted (map i64.i32
                    (hist (*) 1 k is
                          (map (\i -> i32.i64 (2 * i + 1)) (iota n)))),
      weighted (map i64.u32 (hist (^) 0 k is (map u32.i64 (iota n)))))
