-- Where nothing changes, nothing infinite is multiplied by zero.
-- ==
-- tags { no_peer }
-- input { 0.0 } output { 0.0 0.0 0.0 0.0 }

def main (x: f64) =
  (jvp f64.sqrt x 0, jvp f64.log x 0, jvp (\y -> 1 / y) x 0,
   vjp (\y -> y ** 0.5) x 0)
