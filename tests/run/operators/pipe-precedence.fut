-- The pipes bind less tightly than all other operators; <| is right-associative.
-- ==
-- input { 5 } output { 18 12 }
-- input { 0 } output { 3 2 }

def main (x: i32): (i32, i32) =
  (1 + x |> (* 3), (* 2) <| (+ 1) <| x)
