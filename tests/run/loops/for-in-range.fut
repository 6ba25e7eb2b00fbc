-- for loops over a range, upwards and downwards.
-- ==
-- input { 4 } output { 1234 4321 24 }
-- input { 1 } output { 1 1 0 }

def main (n: i32): (i32, i32, i32) =
  ( loop s = 0 for x in 1...n do s * 10 + x
  , loop s = 0 for x in n .. n - 1 ..> 0 do s * 10 + x
  , loop s = 0 for x in (if n > 2 then 2..4...n else []) do s * 10 + x
  )
