-- The pipe operators and function composition, in both directions.
-- ==
-- input { [3, 1, 2] } output { 12 12 13 14 }
-- input { empty([0]i32) } output { 0 0 1 2 }

def main (xs: []i32): (i32, i32, i32, i32) =
  ( xs |> map (* 2) |> i32.sum
  , i32.sum <| map (* 2) <| xs
  , (map (* 2) >-> i32.sum >-> (+ 1)) xs
  , ((+ 2) <-< i32.sum <-< map (* 2)) xs
  )
