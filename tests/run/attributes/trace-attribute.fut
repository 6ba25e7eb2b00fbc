-- The attributes trace, trace with a tag, and break let the value pass.
-- ==
-- input { 4 } output { 4 5 6 }

def main (x: i32): (i32, i32, i32) =
  (#[trace] x, #[trace(tag)] (x + 1), #[break] (x + 2))
