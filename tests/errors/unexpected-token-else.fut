-- expect: unexpected-token
-- An `if` without `else`.
def clamp (x: f64): f64 =
  if x > 1 then 1

def main (xs: []f64): []f64 = map clamp xs
