-- expect: function-in-loop
-- A function is built by a loop.
def repeat (n: i64) (f: i64 -> i64): i64 -> i64 =
  loop g = \x -> x for _i < n do \x -> f (g x)
