-- A check in the operator of a histogram of pairs fails for one of many threads, and the others do not wait for it.
-- ==
-- input { 1000i64 2i64 -1i64 } output { [500i64, 499i64] [2i64, 2i64] }
-- input { 20i64 5i64 -1i64 } output { [3i64, 4i64, 5i64, 3i64, 4i64] [2i64, 2i64, 2i64, 2i64, 2i64] }
-- input { 1000i64 2i64 777i64 } error: out of bounds
-- input { 1000i64 300i64 3i64 } error: out of bounds

def main (n: i64) (k: i64) (bad: i64): ([k]i64, [k]i64) =
  let table = map i64.i32 (map (+ 1) (map i32.i64 (iota 3)))
  let vs = tabulate n (\i -> let j = if i == bad then 100 else i % 3 in (j, j))
  let op (a, i) (b, j) =
    let c = i64.max i j in (if table[c] < 0 then 0 else a + b, c)
  in unzip (hist op (0, 0) k (tabulate n (% k)) vs)
