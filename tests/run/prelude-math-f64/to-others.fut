-- from_fraction, to_i64 and to_f64 of f64.
-- ==
-- input { 1i64 2i64 }
-- output { 0.5 0i64 0.5 }
-- input { 7i64 2i64 }
-- output { 3.5 3i64 3.5 }
-- input { -7i64 2i64 }
-- output { -3.5 -3i64 -3.5 }
-- input { 1i64 3i64 }
-- output { 0.3333333333333333 0i64 0.3333333333333333 }
-- input { 0i64 5i64 }
-- output { 0.0 0i64 0.0 }
-- input { 100i64 10i64 }
-- output { 1.0e+01 10i64 1.0e+01 }

def main (p: i64) (q: i64): (f64, i64, f64) =
  let x = f64.from_fraction p q
  in (x, f64.to_i64 x, f64.to_f64 x)
