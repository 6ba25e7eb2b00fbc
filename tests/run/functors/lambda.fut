-- A parametric module as an anonymous function with a result signature.
-- ==
-- input { 3 } output { 8 }

module type one = { val f: i32 -> i32 }
module twice = \(m: one): one -> { def f (x: i32) = m.f (m.f x) }
module add = { def f (x: i32) = x + 1 }
module add4 = twice (twice add)
module add5 = { open add4 def g (x: i32) = f x + 1 }
def main (x: i32): i32 = add5.g x
