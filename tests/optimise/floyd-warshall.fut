-- The lengths of the shortest paths between all nodes of a graph.
-- ==
-- input { [[0i32, 3i32, 1000i32], [1000i32, 0i32, 4i32], [2i32, 1000i32, 0i32]] }
-- output { [[0i32, 3i32, 7i32], [6i32, 0i32, 4i32], [2i32, 5i32, 0i32]] }
-- input { empty([0][0]i32) }
-- output { empty([0][0]i32) }

def through [n] (d: [n][n]i32) (k: i64): [n][n]i32 =
  tabulate_2d n n (\i j -> i32.min d[i, j] (d[i, k] + d[k, j]))

def shortest [n] (d: [n][n]i32): [n][n]i32 =
  loop d for k < n do through d k

def main [n] (d: [n][n]i32): [n][n]i32 = shortest d
