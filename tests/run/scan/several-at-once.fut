-- Several scans and reductions of one array, over values of different sizes, with a map before and after.
-- ==
-- input { 0i64 } output { 0i64 0.0f64 0i64 0i64 false }
-- input { 1i64 } output { 0i64 0.0f64 0i64 0i64 false }
-- input { 15i64 } output { 1028i64 280.0f64 13145i64 1i64 false }
-- input { 16i64 } output { 2436i64 340.0f64 14969i64 1i64 false }
-- input { 17i64 } output { 940i64 400.0f64 16907i64 4i64 false }
-- input { 79i64 } output { 6036i64 11000.0f64 392555i64 1i64 false }
-- input { 80i64 } output { 276i64 11300.0f64 402635i64 4i64 false }
-- input { 81i64 } output { 6108i64 11600.0f64 412841i64 2i64 false }
-- input { 1279i64 } output { -610480i64 3056000.0f64 69330539i64 2i64 true }
-- input { 1280i64 } output { -645168i64 3060800.0f64 69364956i64 4i64 true }
-- input { 1281i64 } output { -679984i64 3065600.0f64 69399500i64 1i64 true }
-- input { 6000i64 } output { -2804093i64 67447500.0f64 381507334i64 1i64 true }

def main (n: i64): (i64, f64, i64, i64, bool) =
  let xs = map (\i -> i8.i64 (i * 37)) (iota n)
  let a = scan (+) 0 xs
  let f = scan (+) 0f64 (map (\i -> f64.i64 (i % 16) * 0.5) (iota n))
  let m = scan i8.max i8.lowest xs
  let last =
    reduce (\x y -> if y != 0 then y else x) 0 (map (\i -> i * i % 7) (iota n))
  let any = reduce (||) false (map (== 5) xs)
  let weight = map (\i -> i % 1009 + 1) (iota n)
  in (i64.sum (map2 (\x w -> i64.i8 x * w) a weight), f64.sum f,
      i64.sum (map2 (\x w -> i64.i8 x * w) m weight), last, any)
