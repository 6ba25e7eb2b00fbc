-- Literals that nothing constrains are of type i32 and f64.
-- ==
-- input { } output { 3 1.5 -2147483648 }

def main =
  let x = 2147483647
  in (1 + 2, 1.0 + 0.5, x + 1)
