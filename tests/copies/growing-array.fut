-- expect: copy-in-loop, allocation-in-loop
-- A list is made longer by one element at a time.

entry main (n: i64): []i64 =
  loop primes = [2] for i < n do
    let candidate = i + 3
    in if all (\p -> candidate % p != 0) primes then primes ++ [candidate] else primes
