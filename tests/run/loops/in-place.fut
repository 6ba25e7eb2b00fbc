-- A loop that updates an array in place, reading earlier elements.
-- ==
-- input { 8i64 } output { [1i64, 1, 2, 3, 5, 8, 13, 21] }
-- input { 2i64 } output { [1i64, 1] }
-- input { 0i64 } output { empty([0]i64) }

def main (n: i64): [n]i64 =
  loop xs = replicate n 1 for i in 0..<n do
    if i < 2 then xs else xs with [i] = xs[i - 1] + xs[i - 2]
