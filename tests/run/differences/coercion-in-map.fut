-- A coercion inside a function that is mapped is checked; the peer leaves the check out.
-- ==
-- tags { no_peer }
-- input { 3i64 } output { [[0i64, 1, 2], [0i64, 1, 2], [0i64, 1, 2]] }
-- input { 2i64 } error: .

def main (n: i64): [][]i64 = map (\_ -> iota n :> [3]i64) (iota 3)
