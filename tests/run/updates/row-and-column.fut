-- Update of a row, a column and a block of a matrix.
-- ==
-- input { [[0, 0, 0], [0, 0, 0], [0, 0, 0]] [1, 2, 3] } output { [[0, 1, 0], [2, 4, 5], [0, 6, 7]] }

def main (xss: *[3][3]i32) (xs: [3]i32): [3][3]i32 =
  let xss[:, 1] = xs
  let xss[1] = replicate 3 2
  let xss[1:3, 1:3] = [[4, 5], [6, 7]]
  in xss
