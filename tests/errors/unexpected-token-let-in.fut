-- expect: unexpected-token
-- A `let` without a body.
def hypotenuse (a: f64) (b: f64): f64 =
  let a2 = a * a
  let b2 = b * b

def main (a: f64): f64 = hypotenuse a 2
