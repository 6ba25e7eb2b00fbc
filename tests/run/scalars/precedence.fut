-- Precedence and associativity of the operators.
-- ==
-- input { 7 2 3 } output { [13, 2, 1, 18, 56, 4, 9, 512, 0, -9] }

def main (a: i32) (b: i32) (c: i32): [10]i32 =
  [ a + b * c
  , a - b - c
  , a / b % b
  , a * b + b * b
  , a << b + 1
  , a & b + b
  , a + b & a | c + b * 3
  , b ** c ** c
  , a % b ** c ^ a
  , -a - b
  ]
