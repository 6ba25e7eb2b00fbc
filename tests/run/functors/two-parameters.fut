-- A parametric module with two parameters, curried.
-- ==
-- input { 3 } output { 9i64 4.0 }

module type conv = { type a type b val conv: a -> b }
module compose (f: conv) (g: conv with a = f.b) = {
  def conv (x: f.a): g.b = g.conv (f.conv x)
}
module widen = { type a = i32 type b = i64 def conv (x: i32) = i64.i32 x }
module square = { type a = i64 type b = i64 def conv (x: i64) = x * x }
module half = { type a = i64 type b = f64 def conv (x: i64) = f64.i64 x + 1 }
module c1 = compose widen square
module c2 = compose widen half
def main (x: i32): (i64, f64) = (c1.conv x, c2.conv x)
