-- Reductions of arrays of empty rows give neutral elements.
-- ==
-- input { empty([3][0]f64) } output { [0.0, 0.0, 0.0] [1.0, 1.0, 1.0] [-f64.inf, -f64.inf, -f64.inf] }
-- input { empty([0][0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }
-- input { [[2.0, 3.0], [4.0, 5.0], [6.0, 0.0], [1.0, 1.0]] }
-- output { [5.0, 9.0, 6.0, 2.0] [6.0, 20.0, 0.0, 1.0] [3.0, 5.0, 6.0, 1.0] }

def main [n] [m] (xss: [n][m]f64): ([n]f64, [n]f64, [n]f64) =
  (map f64.sum xss, map f64.product xss, map f64.maximum xss)
