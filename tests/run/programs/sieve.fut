-- The sieve of Eratosthenes with scatter.
-- ==
-- input { 30i64 } output { [2i64, 3, 5, 7, 11, 13, 17, 19, 23, 29] }
-- input { 2i64 } output { [2i64] }
-- input { 1i64 } output { empty([0]i64) }

def main (n: i64): []i64 =
  let flags = replicate (n + 1) true
  let (flags, _) =
    loop (flags, p) = (flags, 2) while p * p <= n do
      if flags[p]
      then
        let multiples = map (\i -> p * (p + i)) (iota (n / p))
        in (scatter flags multiples (map (const false) multiples), p + 1)
      else (flags, p + 1)
  in filter (\i -> i >= 2 && flags[i]) (iota (n + 1))
