-- Parametric modules over integral, real and float.
-- ==
-- input { 12 2.25 } output { 2 true 1.5 4.5 64 }

module bits (n: integral) = {
  def ones (x: n.t): i32 = n.popc x
  def even (x: n.t) = n.((x & i32 1) == i32 0)
}
module roots (r: real) = {
  def root (x: r.t): r.t = r.sqrt x
  def twice (x: r.t) = r.(x + x)
}
module width (f: float) = { def width = f.num_bits }
module b32 = bits i32
module r64 = roots f64
module w64 = width f64
def main (x: i32) (y: f64): (i32, bool, f64, f64, i32) =
  (b32.ones x, b32.even x, r64.root y, r64.twice y, w64.width)
