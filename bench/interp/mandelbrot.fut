-- A picture of n by n points of the Mandelbrot set, at most limit steps each.

def escape (limit: i32) (cr: f32) (ci: f32): i32 =
  (loop (k, zr, zi) = (0, 0, 0)
   while k < limit && zr * zr + zi * zi < 4 do
     (k + 1, zr * zr - zi * zi + cr, 2 * zr * zi + ci)).0

entry main (n: i64) (limit: i32): i32 =
  let at i = f32.i64 i / f32.i64 n * 2.5
  in i32.sum (flatten (tabulate_2d n n (\y x ->
                                          escape limit (at x - 1.9)
                                                 (at y - 1.25))))
