-- The empty tuple is a value of which there is one.
-- ==
-- input { 4 } output { 4 true }

def ignore (): i32 = 4
def main (x: i32): (i32, bool) =
  let u = ()
  let () = u
  in (if x == 4 then ignore u else x, u == ())
