-- The number of iterations in a small picture of the Mandelbrot set.
-- ==
-- input { 3i64 5i64 20 } output { [[1, 1, 2, 2, 2], [1, 3, 6, 20, 7], [1, 3, 6, 20, 7]] }
-- input { 1i64 1i64 5 } output { [[1]] }
-- input { 0i64 3i64 5 } output { empty([0][3]i32) }

def escape (limit: i32) (cx: f64) (cy: f64): i32 =
  let (_, _, n) =
    loop (x, y, n) = (0, 0, 0) while x * x + y * y <= 4 && n < limit do
      (x * x - y * y + cx, 2 * x * y + cy, n + 1)
  in n
def main (h: i64) (w: i64) (limit: i32): [h][w]i32 =
  tabulate_2d h w (\i j ->
    escape limit (-2 + 3 * f64.i64 j / f64.i64 w)
           (-1.5 + 3 * f64.i64 i / f64.i64 h))
