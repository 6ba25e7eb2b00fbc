-- A radix-2 FFT and its inverse, which give the input back.
-- ==
-- input { [1.0, 2.0, 3.0, 4.0] } output { [10.0, -2.0, -2.0, -2.0] [0.0, 2.0, 0.0, -2.0] true }
-- input { [5.0] } output { [5.0] [0.0] true }

type complex = (f64, f64)
def add ((a, b): complex) ((c, d): complex): complex = (a + c, b + d)
def sub ((a, b): complex) ((c, d): complex): complex = (a - c, b - d)
def mul ((a, b): complex) ((c, d): complex): complex =
  (a * c - b * d, a * d + b * c)
def fft [n] (sign: f64) (xs: [n]complex): [n]complex =
  let bits = i64.i32 (63 - i64.clz n)
  let rev i = loop (r, j) = (0, i) for _k < bits do (r * 2 + j % 2, j / 2)
  let start = map (\i -> xs[(rev i).0]) (iota n)
  in loop ys = start for s < bits do
       let h = 1 << s
       in map (\i ->
                 let k = i % (2 * h)
                 let base = i - k
                 let j = k % h
                 let angle = sign * f64.pi * f64.i64 j / f64.i64 h
                 let t = mul (f64.cos angle, f64.sin angle) ys[base + j + h]
                 in if k < h then add ys[base + j] t else sub ys[base + j] t)
              (iota n)
def main [n] (xs: [n]f64): ([n]f64, [n]f64, bool) =
  let ys = fft (-1) (map (\x -> (x, 0)) xs)
  let zs = map (\(a, _) -> a / f64.i64 n) (fft 1 ys)
  let round (x: f64) = f64.round (x * 1e9) / 1e9 + 0
  let (re, im) = unzip ys
  in (map round re, map round im,
      and (map2 (\x z -> f64.abs (x - z) < 1e-9) xs zs))
