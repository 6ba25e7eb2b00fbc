-- expect: attribute-arguments, attribute-arguments, attribute-arguments
-- The attributes are there, but not with these arguments.
entry main (xs: []i32): i32 =
  #[sequential()] reduce (+) 0 (#[simd(wide)] map (+ 1) (#[incremental_flattening] map (* 2) xs))
