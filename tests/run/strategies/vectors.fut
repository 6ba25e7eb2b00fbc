-- Operators in vectors, and loops that are cut as attributes say.
-- ==
-- tags { no_opencl no_cuda }
-- entry: vectors
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } output { [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] 66 66 506 11 }
-- input { [1] } output { [2] 1 1 1 1 }
-- input { empty([0]i32) } output { empty([0]i32) 0 0 0 -2147483648 }

-- ==
-- entry: product
-- input { 40i64 37i64 33i64 } output { true true }
-- input { 1i64 1i64 1i64 } output { true true }
-- input { 3i64 0i64 2i64 } output { true true }

entry vectors [n] (xs: [n]i32) =
  ( #[simd(4)] map (+ 1) xs
  , #[simd(8)] reduce (+) 0 xs
  , #[simd] reduce (+) 0 xs
  , #[vector(2)] reduce (+) 0 (map2 (*) xs xs)
  , #[sequential] #[vector(4)] reduce i32.max i32.lowest xs
  )

entry product (n: i64) (m: i64) (k: i64) =
  let a = tabulate_2d n m (\i j -> i32.i64 (i * 7 + j * 3) % 11)
  let b = tabulate_2d m k (\i j -> i32.i64 (i * 5 + j) % 13)
  let plain =
    map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a
  let tiled =
    #[tile(4, 16)]
    map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a
  let sums = map (\c -> reduce (+) 0 c) (transpose a)
  let stripped = #[strip(16)] map (\c -> reduce (+) 0 c) (transpose a)
  in (and (map2 (\r s -> and (map2 (==) r s)) plain tiled),
      and (map2 (==) sums stripped))
