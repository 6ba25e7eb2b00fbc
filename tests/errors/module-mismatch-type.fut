-- expect: module-mismatch
-- A value has another type.
module type shape = {
  val area: f64 -> f64
}

module square: shape = {
  def area (w: i64): i64 = w * w
}
