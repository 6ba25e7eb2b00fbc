-- A sieve: filter in a loop with a shrinking array.
-- ==
-- input { 30i64 } output { [2i64, 3, 5, 7, 11, 13, 17, 19, 23, 29] }
-- input { 2i64 } output { empty([0]i64) }
-- input { 3i64 } output { [2i64] }

def main (n: i64): []i64 =
  let (primes, _) =
    loop (primes, rest) = ([], filter (>= 2) (iota n)) while length rest > 0 do
      let p = rest[0]
      in (primes ++ [p], filter (\x -> x % p != 0) rest)
  in primes
