-- Operators that do not commute: what comes first stays first, however many lanes there are.
-- ==
-- entry: compose
-- input { [[[2i64, 1i64], [3i64, 5i64], [1i64, 7i64]], [[1i64, 0i64], [1i64, 0i64], [5i64, 2i64]]] }
-- output { [[6i64, 15i64], [5i64, 2i64]] }

-- ==
-- entry: digits
-- input { 2i64 12i64 } output { [[0i64, 1i64, 12i64, 123i64, 1234i64, 12345i64, 123456i64, 1234567i64, 12345678i64, 123456789i64, 1234567890i64, 12345678901i64],
--   [1i64, 12i64, 123i64, 1234i64, 12345i64, 123456i64, 1234567i64, 12345678i64, 123456789i64, 1234567890i64, 12345678901i64, 123456789012i64]] }

-- x to a*x + b, and after that x to c*x + d.
def after (a: i64, b: i64) (c: i64, d: i64) = (a * c, b * c + d)

entry compose [n] [m] (fss: [n][m][2]i64): [n][2]i64 =
  map (\fs ->
         let (a, b) = reduce after (1, 0) (map (\f -> (f[0], f[1])) fs)
         in [a, b])
      fss

entry digits (n: i64) (m: i64): [n][m]i64 =
  tabulate n (\i ->
                map (.1)
                    (scan after (1, 0) (tabulate m (\j -> (10, (i + j) % 10)))))
