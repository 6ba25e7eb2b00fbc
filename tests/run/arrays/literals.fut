-- Array literals of one to three dimensions, of tuples, and of computed elements.
-- ==
-- input { 1 2 } output { [1, 2] [[1, 2], [2, 1]] [[[1], [2]]] [1, 3] [true, false] }
-- input { 0 0 } output { [0, 0] [[0, 0], [0, 0]] [[[0], [0]]] [0, 0] [true, true] }

def main (x: i32) (y: i32): ([2]i32, [2][2]i32, [1][2][1]i32, [2]i32, [2]bool) =
  let ts = [(x, true), (x + y, x == y)]
  in ([x, y], [[x, y], [y, x]], [[[x], [y]]], map (.0) ts, map (.1) ts)
