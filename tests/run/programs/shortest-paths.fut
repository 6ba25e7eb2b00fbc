-- All shortest paths by the algorithm of Floyd.
-- ==
-- input { [[0, 3, 1000, 7], [8, 0, 2, 1000], [5, 1000, 0, 1], [2, 1000, 1000, 0]] }
-- output { [[0, 3, 5, 6], [5, 0, 2, 3], [3, 6, 0, 1], [2, 5, 7, 0]] }
-- input { [[0]] } output { [[0]] }

def main [n] (d: [n][n]i32): [n][n]i32 =
  loop (d: *[n][n]i32) = copy d for k < n do
    map (\i -> map (\j -> i32.min d[i, j] (d[i, k] + d[k, j])) (iota n))
        (iota n)
