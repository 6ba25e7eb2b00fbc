-- An array of nothing has only a size: a map over it and another array has the elements of the other.
-- ==
-- input { [1.5f32, -2.5f32] } output { [3f32, -5f32] [1f32, 1f32] }

def lift [n] 'p 'x 'y (f: p -> x -> y) (ps: [n]p) (xs: [n]x): [n]y =
  map2 f ps xs

def main [n] (xs: [n]f32): ([n]f32, [n]f32) =
  (lift (\() x -> x + x) (replicate n ()) xs,
   lift (\_ () -> 1) xs (replicate n ()))
