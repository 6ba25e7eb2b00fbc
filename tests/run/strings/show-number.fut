-- The decimal digits of a number.
-- ==
-- input { 120 } output { [49u8, 50, 48] }
-- input { 0 } output { [48u8] }
-- input { 7 } output { [55u8] }

def main (n: i32): []u8 =
  let (_, s) =
    loop (n, s) = (n / 10, [u8.i32 (n % 10) + '0']) while n > 0 do
      (n / 10, [u8.i32 (n % 10) + '0'] ++ s)
  in s
