-- target: c
-- Two reductions of every column, of which the second needs the first.
def main [n][m] (xss: [n][m]i64): [m]i64 =
  map (\c -> let m = i64.maximum c in i64.sum (map (\x -> (x - m) * (x - m)) c)) (transpose xss)
