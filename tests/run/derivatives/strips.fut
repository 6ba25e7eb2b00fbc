-- Derivatives of loops whose values are kept for one strip of iterations at a time: of whole arrays, of one that is
-- updated in place, and of a number.
-- ==
-- entry: same
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 4i64 } output { true }
-- input { 11i64 } output { true }

-- ==
-- entry: symmetric
-- input { 0i64 } output { true }
-- input { 7i64 } output { true }

def f [n] (steps: i64) (xs: [n]f64): f64 =
  let (ys, zs, s) =
    #[stripmine(1)]
    loop (ys, zs, s) = (map (* 0.5) xs, copy xs, 1) for i < i32.i64 steps do
      let i = i64.i32 i % n
      in (map2 (\y z -> f64.sin y * s + z * 0.25) ys zs,
          zs with [i] = zs[i] * ys[0] + 0.1, s * 0.9 + ys[i] * 0.01)
  in f64.sum (map2 (*) ys zs) * s

def point (_: i64): [3]f64 = [0.5, 0.7, 1.1]
def unit (i: i64) = tabulate 3 (\j -> f64.bool (i == j))
def near (a: f64) (b: f64) = f64.abs (a - b) < 1e-12

entry same (steps: i64) =
  and (map2 near (tabulate 3 (\i -> jvp (f steps) (point 0) (unit i)))
            (vjp (f steps) (point 0) 1))

entry symmetric (steps: i64) =
  let hessian =
    tabulate 3 (\i -> jvp (\xs -> vjp (f steps) xs 1) (point 0) (unit i))
  in and (map2 (\a b -> and (map2 near a b)) hessian (transpose hessian))
