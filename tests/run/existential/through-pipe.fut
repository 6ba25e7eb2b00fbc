-- A function with an existential result in a pipeline.
-- ==
-- input { [4, -1, 2] } output { 6 [2, 4] }
-- input { empty([0]i32) } output { 0 empty([0]i32) }

def main (xs: []i32): (i32, []i32) =
  (xs |> filter (> 0) |> i32.sum, xs |> filter (> 0) |> reverse)
