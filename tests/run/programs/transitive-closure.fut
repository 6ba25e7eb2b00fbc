-- Reachability in a graph by the algorithm of Warshall.
-- ==
-- input { [[false, true, false], [false, false, true], [false, false, false]] }
-- output { [[false, true, true], [false, false, true], [false, false, false]] }
-- input { [[true]] } output { [[true]] }

def main [n] (adj: [n][n]bool): [n][n]bool =
  loop a = copy adj for k < n do
    tabulate_2d n n (\i j -> a[i, j] || (a[i, k] && a[k, j]))
