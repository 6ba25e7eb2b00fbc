-- A parametric module that takes a parametric module.
-- ==
-- input { 5 } output { 7 20 }

module type t = { val v: i32 -> i32 }
module type trans = (m: t) -> t
module apply_twice (f: trans) (m: t) = f (f m)
module plus_one (m: t) = { def v (x: i32) = m.v x + 1 }
module doubled (m: t) = { def v (x: i32) = m.v x * 2 }
module start = { def v (x: i32) = x }
module a = apply_twice plus_one start
module b = apply_twice doubled start
def main (x: i32): (i32, i32) = (a.v x, b.v x)
