-- Ranges with ..., upwards and downwards.
-- ==
-- input { 1 5 } output { [1, 2, 3, 4, 5] [1, 4] [5, 4, 3, 2, 1] [5, 3, 1] }
-- input { 2 3 } output { [2, 3] empty([0]i32) [3, 2] [3] }
-- input { -1 4 } output { [-1, 0, 1, 2, 3, 4] [-1, 2] [4, 3, 2, 1, 0, -1] [4, 2, 0] }

def main (a: i32) (b: i32): ([]i32, []i32, []i32, []i32) =
  (a...b, (if b - a >= 3 then a .. a + 3 ... b else []), b .. b - 1 ... a,
   (if b - a >= 2 then b .. b - 2 ... a else [b]))
