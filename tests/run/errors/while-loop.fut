-- An error in a while loop after some iterations.
-- ==
-- input { [3i64, 2, 0, 1] 1i64 } output { 2i64 }
-- input { [3i64, 2, 9, 1] 1i64 } error: Index \[9\] out of bounds for array of shape \[4\]

def main (next: []i64) (start: i64): i64 =
  loop i = start while next[i] != 0 do next[i]
