-- Attributes that say which versions there are change nothing of the result.
-- ==
-- entry: main
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [6, 15] [6, 15] [6, 15] [6, 15] }

def rows [n] [m] (xss: [n][m]i32) = map i32.sum xss

entry main [n] [m] (xss: [n][m]i32): ([n]i32, [n]i32, [n]i32, [n]i32, [n]i32) =
  ( #[incremental_flattening(only_inner)] map (\xs -> i32.sum xs) xss
  , #[incremental_flattening(only_outer)] map (\xs -> i32.sum xs) xss
  , #[incremental_flattening(only_intra)] map (\xs -> i32.sum xs) xss
  , #[incremental_flattening(no_outer)] map (\xs -> i32.sum xs) xss
  , #[incremental_flattening(no_intra)] map (\xs -> i32.sum xs) xss)
