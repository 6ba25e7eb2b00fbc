-- Derivatives of loops, with and without a known number of iterations, and of updates in place.
-- ==
-- entry: powers
-- input { 3i64 2.0 } output { 12.0 12.0 12.0 12.0 }
-- input { 0i64 2.0 } output { 0.0 0.0 0.0 0.0 }
-- input { 1i64 2.0 } output { 1.0 1.0 1.0 1.0 }

-- ==
-- entry: chain
-- input { [2.0, 3.0, 5.0] } output { [15.0, 10.0, 6.0] }

def counted (n: i64) (x: f64) = loop a = 1 for _i < n do a * x
def split (n: i64) (x: f64) = #[stripmine(2)] loop a = 1 for _i < n do a * x
def unbounded (n: i64) (x: f64) =
  (loop (i, a) = (0, 1) while i < n do (i + 1, a * x)).1

entry powers (n: i64) (x: f64) =
  (jvp (counted n) x 1, vjp (counted n) x 1, vjp (split n) x 1,
   vjp (unbounded n) x 1)

-- Each element becomes the product of all up to it.
entry chain [n] (xs: [n]f64) =
  vjp (\xs ->
         last (loop ys = copy xs for i < n - 1 do
                 ys with [i + 1] = ys[i] * ys[i + 1]))
      xs 1
