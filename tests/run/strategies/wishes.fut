-- Wishes are obeyed where that is possible, and mean nothing elsewhere.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [[2, 4], [8, 10]] 21 [1, 3, 6] 6i64 }

def main [n] [m] (xss: [n][m]i32) =
  ( #[try(block)] map (\xs -> #[try(lane)] reduce (+) 0 xs) xss
  , #[try(grid)] map (\xs -> #[try(simd(4))] map (* 2) xs[:2]) xss
  , #[try(core)] reduce (+) 0 (map (\xs -> i32.sum xs) xss)
  , #[try(source)] scan (+) 0 xss[0]
  , #[try(block)]
    reduce (+) 0
           (#[try(block)]
            map (\xs -> length (filter (> xs[0]) (#[try(lane)] map (+ 1) xs)))
                xss)
  )
