-- A size coercion of an array inside a tuple.
-- ==
-- input { [1, 2] 2i64 } output { [1, 2] 3 }
-- input { [1, 2] 3i64 } error: .

def main (xs: []i32) (n: i64): ([n]i32, i32) = (xs, 3) :> ([n]i32, i32)
