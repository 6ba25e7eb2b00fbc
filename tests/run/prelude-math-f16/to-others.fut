-- from_fraction, to_i64 and to_f64 of f16.
-- ==
-- input { 1i64 2i64 }
-- output { 0.5f16 0i64 0.5 }
-- input { 7i64 2i64 }
-- output { 3.5f16 3i64 3.5 }
-- input { -7i64 2i64 }
-- output { -3.5f16 -3i64 -3.5 }
-- input { 1i64 3i64 }
-- output { 0.3333f16 0i64 0.333251953125 }
-- input { 0i64 5i64 }
-- output { 0.0f16 0i64 0.0 }
-- input { 100i64 10i64 }
-- output { 1.0e+01f16 10i64 1.0e+01 }

def main (p: i64) (q: i64): (f16, i64, f64) =
  let x = f16.from_fraction p q
  in (x, f16.to_i64 x, f16.to_f64 x)
