-- Functional update of fields, also of nested ones.
-- ==
-- input { 1 2 } output { 10 2 1 20 30 1 }

type r = {a: i32, b: {c: i32, d: (i32, i32)}}
def main (x: i32) (y: i32): (i32, i32, i32, i32, i32, i32) =
  let r: r = {a = x, b = {c = y, d = (x, y)}}
  let r1 = r with a = 10
  let r2 = r with b.c = 20
  let r3 = r2 with b.d.0 = 30
  in (r1.a, r1.b.c, r2.a, r2.b.c, r3.b.d.0, r.a)
