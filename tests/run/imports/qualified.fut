-- An import as a module.
-- ==
-- input { 4 } output { 12 7 }

module lib = import "library"
def main (x: i32): (i32, i32) =
  (lib.triple x,
   lib.stack.total (lib.stack.push 3 (lib.stack.push x (lib.stack.empty ()))))
