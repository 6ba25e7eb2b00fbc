-- expect: allocation-in-loop
-- The loop is two calls away, and there are two such calls.

#[noinline]
def median [n] (xs: [n]i32): i32 =
  let less x = i32.sum (map (\y -> i32.bool (y < x)) xs)
  let ranks = map less xs
  in reduce i32.max i32.lowest (map2 (\x r -> if r <= i32.i64 n / 2 then x else i32.lowest) xs (reverse (scan i32.max 0 ranks)))

#[noinline]
def deviation [n] (xs: [n]i32): i32 = median xs - i32.minimum xs

entry main [n] [m] (rows: [n][m]i32): ([n]i32, i32) =
  (map (\row -> deviation row) rows, loop sum = 0 for row in rows do sum + deviation row)
