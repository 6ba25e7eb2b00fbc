-- opaque, trace and break return their argument.
-- ==
-- input { 5 [1, 2] } output { 5 [1, 2] 6 }
-- input { -1 empty([0]i32) } output { -1 empty([0]i32) 0 }

def main [n] (x: i32) (xs: [n]i32): (i32, [n]i32, i32) =
  (opaque x, trace xs, break (x + 1))
