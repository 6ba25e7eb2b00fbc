-- A state machine: a loop whose state is a sum.
-- ==
-- input { [1, 2, 0, 4] } output { 3 false }
-- input { [1, 2, 3] } output { 6 true }
-- input { empty([0]i32) } output { 0 true }

type state = #running i32 | #stopped i32
def main (xs: []i32): (i32, bool) =
  let final =
    loop s: state = #running 0 for x in xs do
      match s
      case #running acc -> if x == 0 then #stopped acc else #running (acc + x)
      case #stopped acc -> #stopped acc
  in match final
     case #running n -> (n, true)
     case #stopped n -> (n, false)
