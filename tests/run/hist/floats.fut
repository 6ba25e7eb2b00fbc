-- Histograms of floats whose sums are exact: sums of both precisions, least values, products.
-- ==
-- input { 0i64 4i64 } output { 0f64 0f64 10000000f64 10f64 }
-- input { 50000i64 1i64 } output { 96827f64 96827f64 -49999.125f64 1f64 }
-- input { 50000i64 7i64 } output { 387296.25f64 387296.25f64 -1399902f64 28f64 }
-- input { 50000i64 600i64 } output { 387031.625f64 387031.625f64 -119028269.625f64 5087.5f64 }
-- input { 200i64 600i64 } output { 1492.5f64 1492.5f64 1602920944.5f64 2590f64 }

def weighted [k] (xs: [k]f64): f64 =
  f64.sum (map2 (*) (map (\j -> f64.i64 (j % 7 + 1)) (iota k)) xs)

def main (n: i64) (k: i64): (f64, f64, f64, f64) =
  let is = tabulate n (\i -> (i * 7919) % k)
  let vs = tabulate n (\i -> f64.i64 (i % 64) / 8 - 2)
  in (weighted (map f64.f32 (hist (+) 0 k is (map f32.f64 vs))),
      weighted (hist (+) 0 k is vs),
      weighted (map f64.f32
                    (hist f32.min 1e6 k is
                          (map2 (\v i -> f32.f64 v - f32.i64 i) vs (iota n)))),
      weighted (hist (*) 1 k is
                     (tabulate n (\i ->
                                    if i >= 2 * k
                                    then 1
                                    else if i % 2 == 1
                                    then 2
                                    else 0.5))))
