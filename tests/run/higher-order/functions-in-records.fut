-- A record of functions, one of which captures a variable.
-- ==
-- input { 4 3 } output { 7 12 16 }

type^ ops = {add: i32 -> i32, mul: i32 -> i32}
def ops (k: i32): ops = {add = (+ k), mul = \x -> x * k}
def use (o: ops) (x: i32) = o.add (o.mul x) - o.mul 1 + 1
def main (x: i32) (k: i32): (i32, i32, i32) =
  let o = ops k
  in (o.add x, o.mul x, use o x + 3)
