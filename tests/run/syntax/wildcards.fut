-- Wildcards in parameters, let, lambda, loop and match.
-- ==
-- input { 1 2 } output { 5 }

def second _ (y: i32) = y
def main (x: i32) (y: i32): i32 =
  let _ = x
  let (_, b) = (x, y)
  let f = \_ -> b
  let c = loop c = 0 for _ in [1, 2, 3i32] do c + 1
  in match (x, c)
     case (_, 3) -> second x b + c + f x - y
     case _ -> 0
