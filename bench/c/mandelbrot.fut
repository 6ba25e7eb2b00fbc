-- After how many steps the points of a picture leave the circle around the Mandelbrot set.
-- compare "800 by 600, 256 steps": all but 0.5 %, because a point near the edge leaves sooner or later with each rounding
-- ==
-- "tiny" nobench input { 3i64 4i64 20i32 } output { [[1i32, 2i32, 3i32, 4i32], [1i32, 4i32, 8i32, 20i32], [1i32, 4i32, 8i32, 20i32]] }
-- "800 by 600, 256 steps" compiled input { 600i64 800i64 256i32 }

def escape (limit: i32) (cr: f32) (ci: f32): i32 =
  (loop (k, zr, zi) = (0, 0, 0)
   while k < limit && zr * zr + zi * zi < 4 do
     (k + 1, zr * zr - zi * zi + cr, 2 * zr * zi + ci)).0

entry main (height: i64) (width: i64) (limit: i32): [height][width]i32 =
  let at i n low high = low + (high - low) * f32.i64 i / f32.i64 n
  in tabulate_2d height width (\y x ->
                                 escape limit (at x width (-2.25) 0.75)
                                        (at y height (-1.125) 1.125))
