-- Attributes on expressions do not change what they compute.
-- ==
-- input { [3, 1, 2] } output { 6 12 [3, 4, 6] 6 }
-- input { empty([0]i32) } output { 0 0 empty([0]i32) 0 }

def main [n] (xs: [n]i32) =
  ( #[sequential] reduce (+) 0 xs
  , #[sequential_outer] i32.sum (#[sequential_inner] map (* 2) xs)
  , #[incremental_flattening(only_inner)] scan (+) 0 xs
  , #[opaque] (i32.sum xs)
  )
