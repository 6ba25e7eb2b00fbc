-- Loops over tuples and records.
-- ==
-- input { 10 } output { 55 89 55 }
-- input { 0 } output { 0 1 0 }

def main (n: i32): (i32, i32, i32) =
  let (a, b) = loop (a, b) = (0, 1) for _i < n do (b, a + b)
  let r = loop {x, y} = {x = 0, y = 1} for _i < n do {x = y, y = x + y}
  in (a, b, r.x)
