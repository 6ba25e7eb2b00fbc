-- An import from a subfolder, whose own imports are relative to it.
-- ==
-- input { 2 } output { 18 6 }

import "more/nested"
module lib = import "library"
def main (x: i32): (i32, i32) = (nine_fold x, lib.triple x)
