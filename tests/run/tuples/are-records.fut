-- A tuple is a record with numbers for fields.
-- ==
-- input { 1 true } output { 1 true true 7 }

def f (r: {0: i32, 1: bool}): i32 = if r.1 then r.0 + 6 else r.0
def main (x: i32) (b: bool): (i32, bool, bool, i32) =
  let r = {1 = b, 0 = x}
  let (p, q) = r
  in (p, q, r == (x, b), f (x, b))
