-- A filter of the result of a filter, and their lengths.
-- ==
-- input { 20i64 } output { [6i64, 12, 18] 9i64 3i64 }
-- input { 1i64 } output { empty([0]i64) 0i64 0i64 }

def main (n: i64): ([]i64, i64, i64) =
  let evens = filter (\x -> x % 2 == 0) (filter (> 0) (iota n))
  let sixes = filter (\x -> x % 3 == 0) evens
  in (sixes, length evens, length sixes)
