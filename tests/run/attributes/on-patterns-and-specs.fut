-- Attributes on patterns and on specifications are allowed.
-- ==
-- input { 1 2 } output { 3 }

module type t = { #[foo] val f: i32 -> i32 }
module m: t = { def f (x: i32) = x }
def main (x: i32) (y: i32): i32 =
  let (#[bar] a, #[baz] b) = (x, y)
  in m.f a + b
