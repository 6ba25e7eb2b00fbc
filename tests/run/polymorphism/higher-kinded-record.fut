-- A polymorphic fold over a record of functions (a dictionary).
-- ==
-- input { [1, 2, 3, 4] } output { 10 24 true }
-- input { empty([0]i32) } output { 0 1 true }

type^ monoid 'a = {op: a -> a -> a, ne: a}
def fold 'a [n] (m: monoid a) (xs: [n]a): a = reduce m.op m.ne xs
def sum: monoid i32 = {op = (+), ne = 0}
def main (xs: []i32): (i32, i32, bool) =
  (fold sum xs, fold {op = (*), ne = 1} xs,
   fold {op = (&&), ne = true} (map (> 0) xs))
