-- A parametric option type and functions on it.
-- ==
-- input { [1, 2, 3] 2 } output { 20 -1 }
-- input { [1, 2, 3] 5 } output { 0 -1 }
-- input { empty([0]i32) 1 } output { 0 -1 }

type opt 'a = #some a | #none
def bind 'a 'b (f: a -> opt b) (x: opt a): opt b =
  match x
  case #some y -> f y
  case #none -> #none
def default 'a (d: a) (x: opt a): a =
  match x
  case #some y -> y
  case #none -> d
def find [n] (xs: [n]i32) (k: i32): opt i64 =
  let is = filter (\i -> xs[i] == k) (iota n)
  in if length is == 0 then #none else #some is[0]
def main (xs: []i32) (k: i32): (i32, i32) =
  ( find xs k |> bind (\i -> #some (xs[i] * 10)) |> default 0
  , default (-1) (bind (\(_: i64): opt i32 -> #none) (find xs k))
  )
