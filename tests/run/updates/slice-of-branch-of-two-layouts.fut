-- A branch yields an array that is stored backwards or forwards, and a slice of it is replaced.
-- ==
-- input { 4i64 true } output { 24i64 }
-- input { 4i64 false } output { 38i64 }
-- input { 0i64 false } output { 0i64 }
-- input { 1i64 true } output { 0i64 }

def main (k: i64) (c: bool): i64 =
  let a =
    copy (if c
          then (replicate k 3 ++ replicate k 0)[::-1][:k] :> [k]i64
          else replicate k 7)
  let b = a with [0:k / 2] = replicate (k / 2) 12
  in loop s = 0 for i < k do s + b[i]
