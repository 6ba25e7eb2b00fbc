-- Histograms of values that are smaller than a word, several of which share one.
-- ==
-- input { 0i64 5i64 } output { 0i64 0i64 0i64 -1920i64 }
-- input { 20000i64 1i64 } output { -16i64 30128i64 1i64 125i64 }
-- input { 20000i64 5i64 } output { -304i64 509136i64 11i64 1875i64 }
-- input { 20000i64 333i64 } output { 633i64 80065941i64 47i64 284976i64 }
-- input { 100i64 333i64 } output { 34784i64 2324754i64 245i64 -207517i64 }
-- input { 20000i64 5001i64 } output { 13631i64 1154952917i64 1i64 3140001i64 }

def weighted [k] (xs: [k]i64): i64 =
  i64.sum (map2 (*) (map (\j -> j % 13 + 1) (iota k)) xs)

def main (n: i64) (k: i64): (i64, i64, i64, i64) =
  let is = tabulate n (\i -> (i * 7919) % k)
  in (weighted (map i64.i8 (hist (+) 0 k is (map i8.i64 (iota n)))),
      weighted (map i64.u16
                    (hist (+) 0 k is (map (\i -> u16.i64 (i * i)) (iota n)))),
      weighted (map i64.bool
                    (hist (!=) false k is (map (\i -> i % 3 == 0) (iota n)))),
      weighted (map i64.i8
                    (hist i8.max i8.lowest k is
                          (map (\i -> i8.i64 ((i * 37) % 251 - 125))
                               (iota n)))))
