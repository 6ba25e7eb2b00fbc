-- A reduction of 2x2 matrices, whose product does not commute.
-- ==
-- input { 10i64 } output { [[89, 55], [55, 34]] }
-- input { 1i64 } output { [[1, 1], [1, 0]] }
-- input { 0i64 } output { [[1, 0], [0, 1]] }

def mul (a: [2][2]i32) (b: [2][2]i32): [2][2]i32 =
  [ [a[0, 0] * b[0, 0] + a[0, 1] * b[1, 0], a[0, 0] * b[0, 1] + a[0, 1] * b[1, 1]]
  , [a[1, 0] * b[0, 0] + a[1, 1] * b[1, 0], a[1, 0] * b[0, 1] + a[1, 1] * b[1, 1]]
  ]
def main (n: i64): [2][2]i32 =
  reduce mul [[1, 0], [0, 1]] (replicate n [[1, 1], [1, 0]])
