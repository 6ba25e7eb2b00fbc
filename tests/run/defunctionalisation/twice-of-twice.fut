-- Functions of order three.
-- ==
-- input { 0 } output { 16 4 }
-- input { 5 } output { 21 9 }

def twice '^a (f: a -> a): a -> a = \x -> f (f x)
def main (x: i32): (i32, i32) =
  (twice twice (twice (twice (+ 1))) x |> \y -> y, twice (twice (+ 1)) x)
