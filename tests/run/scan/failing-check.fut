-- A check that fails in the middle of what is scanned ends the program, and does not leave others waiting.
-- ==
-- entry: main
-- input { [0i64, 2i64, 1i64, 0i64] 4i64 } output { 4 }
-- input { [0i64, 3i64, 1i64, 0i64] 4i64 } error: out of bounds
-- input { [0i64, 2i64, 1i64, 0i64] 100000i64 } output { 100000 }
-- input { [0i64, 7i64, 1i64, 0i64] 100000i64 } error: out of bounds

def table = [1i32, 2, 0]

entry main (places: [4]i64) (n: i64): i32 =
  let s = scan (+) 0 (tabulate n (\i -> table[places[i % 4]]))
  in s[n - 1]

-- Only one element fails.
-- ==
-- entry: once
-- input { 50001i64 100000i64 } error: out of bounds
-- input { 99999i64 100000i64 } error: out of bounds
-- input { 100000i64 100000i64 } output { 239999i64 }

entry once (at: i64) (n: i64): i64 =
  let xs = [1i64, 2, 3]
  let s =
    scan (+) 0 (tabulate n (\i -> xs[if i == at then 3 else i64.min (i % 5) 2]))
  in s[n - 1] - s[0]
