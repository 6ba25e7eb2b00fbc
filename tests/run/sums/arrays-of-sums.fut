-- Arrays of sums: mapped, filtered and reduced.
-- ==
-- input { [3, -1, 0, 5] } output { 8 1i64 [30, -1, 0, 50] }
-- input { empty([0]i32) } output { 0 0i64 empty([0]i32) }

type t = #pos i32 | #neg i32 | #zero
def classify (x: i32): t =
  if x > 0 then #pos x else if x < 0 then #neg (-x) else #zero
def main [n] (xs: [n]i32): (i32, i64, [n]i32) =
  let ts = map classify xs
  let values = map (\x ->
                      match x
                      case #pos y -> y
                      case _ -> 0) ts
  let negs = filter (\x ->
                       match x
                       case #neg _ -> true
                       case _ -> false) ts
  let back = map (\x ->
                    match x
                    case #pos y -> 10 * y
                    case #neg y -> -y
                    case #zero -> 0) ts
  in (i32.sum values, length negs, back)
