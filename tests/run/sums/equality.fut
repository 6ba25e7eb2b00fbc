-- Equality of sums compares the constructor and the payload.
-- ==
-- input { 1 1 } output { [true, false, true, false] }
-- input { 1 2 } output { [false, false, true, true] }

type t = #l i32 | #r i32 | #n
def main (x: i32) (y: i32): [4]bool =
  let a: t = #l x
  let b: t = #l y
  let c: t = #r y
  let n: t = #n
  in [a == b, a == c, n == n, a != b]
