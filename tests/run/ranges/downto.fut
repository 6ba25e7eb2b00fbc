-- Ranges with ..> go downwards.
-- ==
-- input { 5 0 } output { [5, 4, 3, 2, 1] [5, 3, 1] }
-- input { 2 -3 } output { [2, 1, 0, -1, -2] [2, 0, -2] }
-- input { 0 -2 } output { [0, -1] [0] }

def main (a: i32) (b: i32): ([]i32, []i32) = (a..>b, a .. a - 2 ..> b)
