-- The number of solutions of the queens problem, by a search with a stack in bits.
-- ==
-- input { 4i64 } output { 2 }
-- input { 6i64 } output { 4 }
-- input { 1i64 } output { 1 }

def safe [k] (qs: [k]i64) (row: i64) (col: i64): bool =
  all (\r -> qs[r] != col && i64.abs (qs[r] - col) != row - r) (0..<row)
def main (n: i64): i32 =
  let (_, _, count) =
    loop (qs, row, count) = (replicate n (-1), 0i64, 0i32) while row >= 0 do
      if row == n then (qs, row - 1, count + 1)
      else
        let col = loop c = qs[row] + 1 while c < n && !(safe qs row c) do c + 1
        in if col >= n then (qs with [row] = -1, row - 1, count)
           else (qs with [row] = col, row + 1, count)
  in count
