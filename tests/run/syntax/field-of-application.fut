-- Projection binds more tightly than application.
-- ==
-- input { 4 } output { 5 8 }

def f (r: {a: i32, b: i32}) = {a = r.a + 1, b = r.b * 2}
def g (x: i32) = x
def main (x: i32): (i32, i32) =
  let r = {a = x, b = x}
  in (g (f r).a, g (f r).b)
