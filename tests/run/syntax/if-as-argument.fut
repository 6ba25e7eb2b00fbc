-- Conditionals, loops and matches in parentheses as arguments.
-- ==
-- input { 5 } output { 16 }
-- input { -5 } output { 4 }

def add3 (a: i32) (b: i32) (c: i32) = a + b + c
def main (x: i32): i32 =
  add3 (if x > 0 then x else 0)
       (loop a = 0 for _i < x do a + 1)
       (match x
        case 5 -> 6
        case _ -> 4)
