-- A plain import brings all names of a file into scope.
-- ==
-- input { 4 } output { 12 104 5 }

import "library"
def main (x: i32): (i32, i32, i32) = (triple x, shifted x, not_an_entry x)
