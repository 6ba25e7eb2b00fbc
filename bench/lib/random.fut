-- Numbers for the programs beside this file, and whether a derivative is one.

module random = {
  -- Some number between -1 and 1 for each place.
  def at (seed: i32) (i: i64): f64 =
    let mix (x: u32) =
      let x = (x ^ (x >> 16)) * 0x45d9f3b
      let x = (x ^ (x >> 16)) * 0x45d9f3b
      in x ^ (x >> 16)
    in f64.u32 (mix (mix (u32.i32 seed + 1) + u32.i64 i)) / 2147483648 - 1

  def vector (seed: i32) (n: i64): [n]f64 = tabulate n (at seed)
  def matrix (seed: i32) (n: i64) (m: i64): [n][m]f64 =
    tabulate_2d n m (\i j -> at seed (i * m + j))

  def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

  -- A point a step further in a direction.
  def along [n] (h: f64) (direction: [n]f64) (xs: [n]f64): [n]f64 =
    map2 (\d x -> x + h * d) direction xs

  -- Whether a number is the derivative of a function at 0, by differences of fourth order.
  def agree (f: f64 -> f64) (slope: f64): bool =
    let h = 1e-3
    let found = (8 * (f h - f (-h)) - (f (2 * h) - f (-2 * h))) / (12 * h)
    in f64.abs (found - slope)
       <= 1e-6 * f64.max 1 (f64.max (f64.abs slope) (f64.abs (f 0)))
}
