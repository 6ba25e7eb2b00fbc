-- All forms of slices that the grammar has.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] 2i64 8i64 3i64 }
-- output { 10i64 8i64 8i64 6i64 4i64 3i64 3i64 2i64 }

def main (xs: []i32) (i: i64) (j: i64) (s: i64) =
  ( length xs[:]
  , length xs[i:]
  , length xs[:j]
  , length xs[i:j]
  , length xs[::s]
  , length xs[i::s]
  , length xs[:j:s]
  , length xs[i:j:s]
  )
