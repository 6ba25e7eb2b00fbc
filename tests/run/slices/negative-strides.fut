-- Slices with a negative stride go downwards, and their bounds default accordingly.
-- ==
-- input { [0, 1, 2, 3, 4, 5] } output { [5, 4, 3, 2, 1, 0] [5, 3, 1] [4, 3] [3, 2, 1, 0] [5, 4] }
-- input { [0, 1, 2, 3, 4] } output { [4, 3, 2, 1, 0] [4, 2, 0] [4, 3] [3, 2, 1, 0] [4] }

def main (xs: []i32): ([]i32, []i32, []i32, []i32, []i32) =
  (xs[::-1], xs[::-2], xs[4:2:-1], xs[3::-1], xs[:3:-1])
