-- Sums inside sums, tuples and records, matched by nested patterns.
-- ==
-- input { 1 } output { 1 }
-- input { 2 } output { 12 }
-- input { 3 } output { 23 }
-- input { 4 } output { -1 }

type inner = #a i32 | #b (i32, i32)
type outer = #x inner | #y {v: inner, w: i32} | #z
def eval (o: outer): i32 =
  match o
  case #x (#a n) -> n
  case #x (#b (p, q)) -> p * 10 + q
  case #y {v = #a n, w} -> n + w
  case #y {v = #b (p, _), w = _} -> p
  case #z -> -1
def main (i: i32): i32 =
  eval (if i == 1 then #x (#a 1)
        else if i == 2 then #x (#b (1, 2))
        else if i == 3 then #y {v = #a 3, w = 20}
        else #z)
