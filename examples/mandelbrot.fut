-- | The Mandelbrot set as a picture of escape times.

module complex = {
  type t = {re: f64, im: f64}

  def add (a: t) (b: t): t = {re = a.re + b.re, im = a.im + b.im}

  def square (a: t): t = {re = a.re * a.re - a.im * a.im, im = 2 * a.re * a.im}

  def norm_squared (a: t): f64 = a.re * a.re + a.im * a.im
}

-- | How many steps it takes until the orbit of zero leaves the circle of
-- radius two, or `limit` if it stays there so long.
def escape_time (limit: i32) (c: complex.t): i32 =
  let (_, steps) =
    loop (z, steps) = ({re = 0, im = 0}, 0)
    while steps < limit && complex.norm_squared z <= 4 do
      (complex.add (complex.square z) c, steps + 1)
  in steps

-- | The point of the plane that is in the middle of a pixel.
def at_pixel (height: i64) (width: i64) (centre: complex.t) (scale: f64)
             (y: i64) (x: i64): complex.t =
  let step = scale / f64.i64 (i64.max 1 width)
  in { re = centre.re + (f64.i64 x - f64.i64 width / 2) * step
     , im = centre.im + (f64.i64 y - f64.i64 height / 2) * step
     }

-- The middles of the pixels are -2-0.5i, which is too far away at once, -1-0.5i, which gets there over -0.25+0.5i,
-- -1.1875-0.75i, -0.152+1.281i and -2.62-0.89i, and -0.5i, which stays.
-- ==
-- input { 1i64 3i64 50 } output { [[1, 5, 50]] }

entry main (height: i64) (width: i64) (limit: i32): [height][width]i32 =
  let centre = {re = -0.5, im = 0.0}
  in tabulate_2d height width (\y x ->
       escape_time limit (at_pixel height width centre 3.0 y x))
