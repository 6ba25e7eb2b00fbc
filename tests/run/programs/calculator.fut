-- A stack machine for arithmetic, with a sum type of instructions.
-- ==
-- input { [0, 0, 1, 0, 2] [3, 4, 0, 5, 0] } output { 35 }
-- input { [0] [7] } output { 7 }
-- input { [1] [0] } error: .

type instr = #push i32 | #add | #mul
def decode (op: i32) (arg: i32): instr =
  match op
  case 0 -> #push arg
  case 1 -> #add
  case _ -> #mul
def main [n] (ops: [n]i32) (args: [n]i32): i32 =
  let (stack, top) =
    loop (stack, top) = (replicate (n + 1) 0, 0)
    for i in map2 decode ops args do
      match i
      case #push x -> (stack with [top] = x, top + 1)
      case #add ->
        let x = stack[top - 1] + stack[top - 2]
        in (stack with [top - 2] = x, top - 1)
      case #mul ->
        let x = stack[top - 1] * stack[top - 2]
        in (stack with [top - 2] = x, top - 1)
  in stack[top - 1]
