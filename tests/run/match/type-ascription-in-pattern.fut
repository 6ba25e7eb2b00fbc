-- Patterns with type ascriptions, in match, let and lambda.
-- ==
-- input { 3 4.0 } output { 7.0 12.0 }

def main (x: i32) (y: f64): (f64, f64) =
  let (a: i32, b: f64) = (x, y)
  let f = \(u: i32, v: f64) -> f64.i32 u * v
  in ( match (a, b)
       case (c: i32, d: f64) -> f64.i32 c + d
     , f (x, y)
     )
