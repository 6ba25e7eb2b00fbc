-- A sum with payloads of several types.
-- ==
-- input { 0 } output { 6.0 }
-- input { 1 } output { 4.0 }
-- input { 2 } output { 0.0 }
-- input { 3 } output { 1.0 }

type shape = #rectangle f64 f64 | #square f64 | #nothing | #flag bool
def area (s: shape): f64 =
  match s
  case #rectangle w h -> w * h
  case #square w -> w * w
  case #nothing -> 0
  case #flag b -> if b then 1 else -1
def main (x: i32): f64 =
  area (if x == 0 then #rectangle 2 3
        else if x == 1 then #square 2
        else if x == 2 then #nothing
        else #flag true)
