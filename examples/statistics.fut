-- | Statistics over any type of numbers: a parametric module.

module type number = {
  type t
  val zero: t
  val of_i64: i64 -> t
  val +: t -> t -> t
  val -: t -> t -> t
  val *: t -> t -> t
  val /: t -> t -> t
}

module statistics (n: number): {
  val mean [k]: [k]n.t -> n.t
  val variance [k]: [k]n.t -> n.t
} = {
  def sum [k] (xs: [k]n.t): n.t = reduce (n.+) n.zero xs

  def mean [k] (xs: [k]n.t): n.t = sum xs n./ n.of_i64 k

  def variance [k] (xs: [k]n.t): n.t =
    let m = mean xs
    let deviation x = let d = x n.- m in d n.* d
    in mean (map deviation xs)
}

module single = statistics {
  type t = f32
  def zero = 0f32
  def of_i64 = f32.i64
  def (+) = (f32.+)
  def (-) = (f32.-)
  def (*) = (f32.*)
  def (/) = (f32./)
}

-- | Numbers with three decimals, without rounding in sums.
module fixed = statistics {
  type t = i64
  def scale = 1000i64
  def zero = 0i64
  def of_i64 x = x * scale
  def (+) = (i64.+)
  def (-) = (i64.-)
  def (*) x y = x i64.* y / scale
  def (/) x y = x i64.* scale / y
}

entry mean_and_variance [k] (xs: [k]f32): (f32, f32) =
  (single.mean xs, single.variance xs)

entry exact_mean [k] (thousandths: [k]i64): i64 =
  fixed.mean thousandths
