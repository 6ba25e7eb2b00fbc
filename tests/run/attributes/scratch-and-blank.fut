-- #[scratch] and #[blank] arrays that are overwritten completely.
-- ==
-- input { [1, 2, 3] } output { [3, 2, 1] [1, 2, 3] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32): ([n]i32, [n]i32) =
  ( scatter (#[scratch] replicate n 0) (map (\i -> n - 1 - i) (iota n)) xs
  , scatter (#[blank] replicate n 0) (iota n) xs
  )
