-- Products of polynomials, by a histogram of exponents.
-- ==
-- input { [1, 2] [3, 4] } output { [3, 10, 8] }
-- input { [5] [7] } output { [35] }
-- input { [1, 1, 1, 1] [1, 1, 1, 1] } output { [1, 2, 3, 4, 3, 2, 1] }

def main [n] [m] (p: [n]i32) (q: [m]i32): []i32 =
  let terms = flatten (tabulate_2d n m (\i j -> (i + j, p[i] * q[j])))
  let (is, vs) = unzip terms
  in hist (+) 0 (n + m - 1) is vs
