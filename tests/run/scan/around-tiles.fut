-- Scans of sizes around those of tiles, lanes and groups of tiles on a device, with operators that do not commute.
-- ==
-- input { 0i64 } output { 0i64 0i64 0i64 }
-- input { 1i64 } output { -2i64 0i64 -2i64 }
-- input { 2i64 } output { 4i64 0i64 -20i64 }
-- input { 15i64 } output { 207i64 -352i64 -71127i64 }
-- input { 16i64 } output { 287i64 -288i64 -857191i64 }
-- input { 17i64 } output { 372i64 -220i64 -856919i64 }
-- input { 111i64 } output { 11878i64 -16024i64 -381047942i64 }
-- input { 112i64 } output { 12214i64 -16472i64 -370877110i64 }
-- input { 113i64 } output { 12666i64 -16924i64 -360602811i64 }
-- input { 239i64 } output { 58326i64 -72088i64 -4507201142i64 }
-- input { 240i64 } output { 59046i64 -73048i64 -4506691862i64 }
-- input { 241i64 } output { 58564i64 -74012i64 -4509191032i64 }
-- input { 255i64 } output { 64266i64 -83968i64 -5110070049i64 }
-- input { 256i64 } output { 65290i64 -84992i64 -5054688545i64 }
-- input { 257i64 } output { 65547i64 -86020i64 -5221416267i64 }
-- input { 1791i64 } output { 1639348i64 -2070904i64 -831810536067i64 }
-- input { 1792i64 } output { 1637782i64 -2074036i64 -831872090829i64 }
-- input { 1793i64 } output { 1637782i64 -2077172i64 -831993952653i64 }
-- input { 3839i64 } output { 3716614i64 -4731820i64 -3846336692693i64 }
-- input { 3840i64 } output { 3714988i64 -4735072i64 -3845791401398i64 }
-- input { 3841i64 } output { 3717430i64 -4738328i64 -3843058465588i64 }
-- input { 3839i64 } output { 3716614i64 -4731820i64 -3846336692693i64 }
-- input { 3840i64 } output { 3714988i64 -4735072i64 -3845791401398i64 }
-- input { 3841i64 } output { 3717430i64 -4738328i64 -3843058465588i64 }
-- input { 11537i64 } output { 11404468i64 -14510984i64 -34107871659337i64 }
-- input { 70000i64 } output { 70462000i64 -89675948i64 -1274157890417223i64 }

def number (i: i64): i32 = i32.i64 ((i * 7 + 3) % 11 - 5)
def check [n] (xs: [n]i32): i64 =
  i64.sum (map2 (\x i -> i64.i32 x * (i % 1009 + 1)) xs (iota n))

def main (n: i64): (i64, i64, i64) =
  let xs = tabulate n number
  let sums = scan (+) 0 xs
  let lasts =
    scan (\a b -> if b != 0 then b else a) 0
         (map (\x -> if x % 4 == 0 then x else 0) xs)
  let composed =
    scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0)
         (zip xs (map i32.i64 (iota n)))
  in (check sums, check lasts, check (map (\(a, b) -> a ^ b) composed))
