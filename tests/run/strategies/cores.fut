-- Operators on the cores of a CPU.
-- ==
-- tags { no_c no_opencl no_cuda }
-- input { [[1, 2, 3], [4, 5, 6]] [1i64, 0i64] }
-- output { [6, 15] [[2, 3, 4], [5, 6, 7]] 21 [1, 3] [4, 1] [2] [5, 7, 9] }
-- input { empty([0][3]i32) empty([0]i64) }
-- output { empty([0]i32) empty([0][3]i32) 0 empty([0]i32) empty([0]i32) empty([0]i32) [0, 0, 0] }

module s = import "strategy"

def main [n] [m] (xss: [n][m]i32) (is: [n]i64) =
  let firsts = map (\xs -> xs[0]) xss
  in ( s.map_core (\xs -> i32.sum xs) xss
     , #[core] map (\xs -> #[core] map (+ 1) xs) xss
     , #[core] reduce (+) 0 (map (\xs -> #[core] reduce (+) 0 xs) xss)
     , #[core] scan (+) 0 (map i32.i64 (map (\i -> if i == 1 then 1 else 2) is))
     , #[core] scatter (replicate n 0) is firsts
     , #[core] filter (> 1) (map (\i -> if i == 1 then 1i32 else 2) is)
     , #[core] reduce (map2 (+)) (replicate m 0) xss
     )
