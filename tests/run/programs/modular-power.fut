-- Powers modulo a number by repeated squaring.
-- ==
-- input { 3i64 200i64 13i64 } output { 9i64 }
-- input { 2i64 0i64 5i64 } output { 1i64 }
-- input { 7i64 1000000i64 1i64 } output { 0i64 }
-- input { 7i64 1i64 0i64 } error: division by zero

def main (b: i64) (e: i64) (m: i64): i64 =
  let (r, _, _) =
    loop (r, b, e) = (1 % m, b % m, e) while e > 0 do
      (if e & 1 == 1 then r * b % m else r, b * b % m, e >> 1)
  in r
