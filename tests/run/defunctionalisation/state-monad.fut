-- A state monad: functions from states to pairs, bound together.
-- ==
-- input { 5 } output { 11 7 }
-- input { 0 } output { 1 2 }

type^ st 'a = i32 -> (a, i32)
def ret 'a (x: a): st a = \s -> (x, s)
def bind 'a 'b (m: st a) (f: a -> st b): st b =
  \s -> let (x, s') = m s in f x s'
def tick: st i32 = \s -> (s, s + 1)
def main (s: i32): (i32, i32) =
  (bind tick (\a -> bind tick (\b -> ret (a + b)))) s
