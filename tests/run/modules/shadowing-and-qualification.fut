-- Modules and values share a name space; fields and members are told apart.
-- ==
-- input { 1 } output { 10 1 }

module x = { def y = 10i32 }
def f (v: i32): i32 =
  let x = {y = v}
  in x.y
def main (v: i32): (i32, i32) = (x.y, f v)
