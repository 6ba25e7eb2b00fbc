-- Ranges with ..< and with a stride.
-- ==
-- input { 0 5 } output { [0, 1, 2, 3, 4] [0, 2, 4] }
-- input { 3 6 } output { [3, 4, 5] [3, 5] }
-- input { 3 5 } output { [3, 4] [3] }

def main (a: i32) (b: i32): ([]i32, []i32) = (a..<b, a .. a + 2 ..< b)
