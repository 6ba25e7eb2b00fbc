-- Operators on all threads of a device.
-- ==
-- tags { no_c no_multicore }
-- input { [[1, 2, 3], [4, 5, 6]] [1i64, 0i64] }
-- output { [6, 15] [[2, 3, 4], [5, 6, 7]] 21 [1, 5] [4, 1] [4] [1, 1] }
-- input { empty([0][3]i32) empty([0]i64) }
-- output { empty([0]i32) empty([0][3]i32) 0 empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

module s = import "strategy"

def main [n] [m] (xss: [n][m]i32) (is: [n]i64) =
  let firsts = map (\xs -> xs[0]) xss
  in ( s.map_grid (\xs -> i32.sum xs) xss
     , map (\xs -> #[grid] map (+ 1) xs) xss
     , i32.sum (map (\xs -> #[grid] reduce (+) 0 xs) xss)
     , #[grid] scan (+) 0 firsts
     , #[grid] scatter (replicate n 0) is firsts
     , #[grid] filter (> 1) firsts
     , #[grid] hist (+) 0 n is (map (const 1) is)
     )
