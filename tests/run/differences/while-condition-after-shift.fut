-- A while loop whose body passes an old value on to another parameter that the condition reads.
-- ==
-- tags { no_peer }
-- input { 8 } output { 0 0 5 }
-- input { 0 } output { 0 0 1 }

def main (n: i32): (i32, i32, i32) =
  loop (x, old, steps) = (n, n + 1, 0) while x != old do (x / 2, x, steps + 1)
