-- while loops, also one that does not run.
-- ==
-- input { 27 } output { 111 }
-- input { 1 } output { 0 }
-- input { 6 } output { 8 }

def main (n: i32): i32 =
  (loop (x, steps) = (n, 0) while x != 1 do
     if x % 2 == 0 then (x / 2, steps + 1) else (3 * x + 1, steps + 1)).1
