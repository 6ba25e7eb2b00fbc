-- Integrals of functions by the rule of Simpson.
-- ==
-- input { 0.0 1.0 10i64 } output { 0.25 0.3333333333333333 }
-- input { 1.0 1.0 10i64 } output { 0.0 0.0 }

def integrate (f: f64 -> f64) (a: f64) (b: f64) (n: i64): f64 =
  let h = (b - a) / f64.i64 n
  let weight i = if i == 0 || i == n then 1 else if i % 2 == 1 then 4 else 2
  in h / 3
     * f64.sum (map (\i -> weight i * f (a + f64.i64 i * h)) (iota (n + 1)))
def main (a: f64) (b: f64) (n: i64): (f64, f64) =
  (integrate (\x -> x * x * x) a b n, integrate (\x -> x * x) a b n)
