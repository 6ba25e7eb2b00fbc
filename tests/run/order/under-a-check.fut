-- What stands under a check starts after it: each of these would take hours otherwise, or never end.
-- ==
-- entry: in_map in_loop in_called
-- input { 4000000000000i64 [0] } error: Assertion is false
-- input { 3i64 [1] }

-- ==
-- entry: through_a_name
-- input { 4000000000000i64 [0] } error: Assertion is false
-- input { 3i64 [1] } output { 5i64 }

-- ==
-- entry: under_an_index
-- input { 4000000000000i64 [1] 3i64 } error: out of bounds
-- input { 3i64 [1] 0i64 } output { 6i64 }

-- ==
-- entry: under_a_size
-- input { 4000000000000i64 -1i64 } error: cannot be replicated
-- input { 3i64 2i64 } output { 7i64 }

-- ==
-- entry: in_an_operator
-- input { 4000000000000i64 [-1i64, 0i64] } error: Assertion is false

-- ==
-- entry: collatz
-- input { 0i64 } error: Assertion is false
-- input { 6i64 } output { 8i64 }

-- ==
-- entry: collatz_of_all
-- input { [6i64, 0i64] } error: Assertion is false
-- input { [6i64, 1i64] } output { [8i64, 0i64] }

-- ==
-- entry: collatz_of_one
-- input { 0i64 [0i64] } error: Assertion is false
-- input { 6i64 [1i64, 2i64] } output { [9i64, 10i64] }

-- ==
-- entry: divided
-- input { 7i64 0i64 } error: division by zero
-- input { 7i64 2i64 } output { 4i64 }

def slow (n: i64) = i64.sum (map (\i -> (i * i) % 7) (iota n))

#[noinline]
def called (n: i64) = slow n

def steps (n: i64) =
  (loop (n, s) = (n, 0i64) while n != 1 do
     (if n % 2 == 0 then n / 2 else 3 * n + 1, s + 1)).1

entry in_map (n: i64) (xs: []i32) =
  map (\x -> assert (x > 0) (i64.i32 x + slow n)) xs
entry in_loop (n: i64) (xs: []i32) =
  loop s = 0 for x in xs do s + assert (x > 0) (slow n)
entry in_called (n: i64) (xs: []i32) =
  map (\x -> assert (x > 0) (i64.i32 x + called n)) xs
entry through_a_name (n: i64) (xs: []i32) =
  i64.sum (map (\x -> let k = assert (x > 0) 1i64 in k * slow n) xs)
entry under_an_index (n: i64) (xs: []i32) (i: i64) =
  let x = xs[i] in assert (x > 0) (i64.i32 x + slow n)
entry under_a_size (n: i64) (m: i64) =
  let ys = replicate m 1i64 in i64.sum ys + assert (length ys > 1) (slow n)
entry in_an_operator (n: i64) (xs: []i64) =
  reduce (\a b -> assert (a + b > 0) (a + b + slow n)) 0 xs
entry collatz (n: i64) = assert (n > 0) (steps n)
entry collatz_of_all (ns: []i64) = map (\n -> assert (n > 0) (steps n)) ns
entry collatz_of_one (n: i64) (xs: []i64) =
  map (\x -> assert (x > 0) (x + steps n)) xs
-- Ends only if the divisor is not zero: a step of zero leads nowhere.
entry divided (n: i64) (k: i64) =
  let _ = n / k
  in assert (k > 0) (loop (i, s) = (0, 0i64) while i < n do (i + k, s + 1)).1
