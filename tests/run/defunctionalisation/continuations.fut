-- Continuation-passing style.
-- ==
-- input { 3 4 } output { 25 7 }
-- input { 0 0 } output { 0 0 }

def add_k '^r (x: i32) (y: i32) (k: i32 -> r): r = k (x + y)
def mul_k '^r (x: i32) (y: i32) (k: i32 -> r): r = k (x * y)
def main (x: i32) (y: i32): (i32, i32) =
  ( mul_k x x (\xx -> mul_k y y (\yy -> add_k xx yy id))
  , add_k x y (\s -> s)
  )
