-- Fast Fourier transforms of whole batches of signals, radix 2 after Stockham, with the complex numbers as a module
-- over any real type. Used for spectra in single precision and for circular convolution in double precision.
-- ==
-- entry: spectra
-- "impulse and constant" nobench input { [[1f32, 0f32, 0f32, 0f32], [1f32, 1f32, 1f32, 1f32]] }
-- output { [[1f32, 1f32, 1f32, 1f32], [16f32, 0f32, 0f32, 0f32]] }
-- "a wave" nobench input { [[0f32, 1f32, 0f32, -1f32, 0f32, 1f32, 0f32, -1f32]] }
-- output { [[0f32, 0f32, 16f32, 0f32, 0f32, 0f32, 16f32, 0f32]] }
-- "small" compiled random input { [64][1024]f32 }
-- "medium" compiled random input { [500][2048]f32 }
-- "large" compiled random input { [400][16384]f32 }

-- ==
-- entry: convolutions
-- "shift and scale" nobench input { [[1f64, 2f64, 3f64, 4f64]] [[0f64, 2f64, 0f64, 0f64]] }
-- output { [[8f64, 2f64, 4f64, 6f64]] }
-- "small sums" nobench input { [[1f64, 1f64]] [[3f64, 5f64]] } output { [[8f64, 8f64]] }
-- "small" compiled random input { [16][1024]f64 [16][1024]f64 }
-- "medium" compiled random input { [400][1024]f64 [400][1024]f64 }
-- "large" compiled random input { [8][131072]f64 [8][131072]f64 }

-- ==
-- entry: round_trip
-- "two by two" nobench input { [[1f64, 2f64], [3f64, 4f64]] } output { [[1f64, 2f64], [3f64, 4f64]] 60f64 }
-- "small" compiled random input { [128][128]f64 }
-- "medium" compiled random input { [512][256]f64 }
-- "large" compiled random input { [1024][1024]f64 }

module type complex = {
  type real
  type complex
  val mk: real -> real -> complex
  val re: complex -> real
  val im: complex -> real
  val zero: complex
  val +: complex -> complex -> complex
  val -: complex -> complex -> complex
  val *: complex -> complex -> complex
  val conj: complex -> complex
  val scale: real -> complex -> complex
  val norm2: complex -> real
  -- e to the power of i times the angle
  val cis: real -> complex
}

module mk_complex (R: real): complex with real = R.t
    with complex = (R.t, R.t) = {
  type real = R.t
  type complex = (real, real)
  def mk a b: complex = (a, b)
  def re ((a, _): complex) = a
  def im ((_, b): complex) = b
  def zero = mk (R.i64 0) (R.i64 0)
  def (x: complex) + (y: complex): complex = R.((x.0 + y.0, x.1 + y.1))
  def (x: complex) - (y: complex): complex = R.((x.0 - y.0, x.1 - y.1))
  def (x: complex) * (y: complex): complex =
    R.((x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0))
  def conj ((a, b): complex): complex = (a, R.neg b)
  def scale (s: real) ((a, b): complex): complex = R.((s * a, s * b))
  def norm2 ((a, b): complex): real = R.(a * a + b * b)
  def cis (angle: real): complex = (R.cos angle, R.sin angle)
}

module mk_fft (R: real) = {
  module C = mk_complex R
  type complex = C.complex

  def log2 (n: i64): i64 = i64.i32 (63 - i64.clz n)

  -- One pass; the signal is seen as half * 2 groups of the given stride.
  def pass [n] (sign: R.t) (p: i64) (xs: [n]complex): [n]complex =
    let ns = 1 << p
    let half = n / 2
    let butterfly (k: i64): (complex, complex, i64, i64) =
      let j = k % ns
      let angle = R.(sign * pi * i64 j / i64 ns)
      let a = xs[k]
      let b = xs[k + half] C.* C.cis angle
      let to = (k / ns) * ns * 2 + j
      in (a C.+ b, a C.- b, to, to + ns)
    let (sums, differences, here, there) = unzip4 (map butterfly (iota half))
    in scatter (scatter (replicate n C.zero) here sums) there differences

  def transform [n] (sign: R.t) (xs: [n]complex): [n]complex =
    loop xs = copy xs for p < log2 n do pass sign p xs

  def fft [n] (xs: [n]complex) = transform (R.i64 (-1)) xs
  def ifft [n] (xs: [n]complex) =
    transform (R.i64 1) xs |> map (C.scale R.(i64 1 / i64 n))

  def of_real [n] (xs: [n]R.t): [n]complex = map (\x -> C.mk x (R.i64 0)) xs

  def fft2 [n] [m] (xs: [n][m]complex): [n][m]complex =
    xs |> map fft |> transpose |> map fft |> transpose
  def ifft2 [n] [m] (xs: [n][m]complex): [n][m]complex =
    xs |> map ifft |> transpose |> map ifft |> transpose
}

module fft32 = mk_fft f32
module fft64 = mk_fft f64

-- The power of every frequency of every signal.
entry spectra [b] [n] (signals: [b][n]f32): [b][n]f32 =
  map (fft32.of_real >-> fft32.fft >-> map fft32.C.norm2) signals

entry convolutions [b] [n] (xs: [b][n]f64) (ys: [b][n]f64): [b][n]f64 =
  let convolve x y =
    map2 (fft64.C.*) (fft64.fft x) (fft64.fft y) |> fft64.ifft |> map fft64.C.re
  in map2 convolve (map fft64.of_real xs) (map fft64.of_real ys)

-- To frequencies in two dimensions and back; and the energy, which is the mean of the powers, doubled.
entry round_trip [n] [m] (picture: [n][m]f64): ([n][m]f64, f64) =
  let there = fft64.fft2 (map fft64.of_real picture)
  let energy = there |> map (map fft64.C.norm2) |> map f64.sum |> f64.sum
  in (map (map fft64.C.re) (fft64.ifft2 there), 2 * energy / f64.i64 (n * m))
