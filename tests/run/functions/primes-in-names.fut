-- Names with primes, digits and underscores.
-- ==
-- input { 3 } output { 16 }

def x' (x: i32) = x + 1
def x'' (x: i32) = x' (x' x)
def hidden_1' (x: i32) = x + 10
def main (x: i32): i32 =
  let x'_1 = x'' (x' x)
  in hidden_1' x'_1
