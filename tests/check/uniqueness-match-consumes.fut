-- expect: none
type grid = #dense ([2]i64) | #sparse i64

entry main (x: i64): [2]i64 =
  let g: grid = if x > 0 then #dense [x, x] else #sparse x
  in match g
     case #dense cells -> cells with [0] = 1
     case #sparse n -> [n, n]
