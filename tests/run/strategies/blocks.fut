-- Operators on the blocks of a device, whose lanes share what is inside of them.
-- ==
-- tags { no_c no_multicore }
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [[1, 3, 6], [4, 9, 15]] [12, 30] [[2, 4, 6], [8, 10, 12]] [[3, 2, 1], [6, 5, 4]] }
-- input { empty([0][3]i32) }
-- output { empty([0]i32) empty([0][3]i32) empty([0]i32) empty([0][3]i32) empty([0][3]i32) }

module s = import "strategy"

def main [n] [m] (xss: [n][m]i32) =
  ( #[block] map (\xs -> #[lane] reduce (+) 0 xs) xss
  , s.map_block (\xs -> #[lane] scan (+) 0 xs) xss
  , s.map_block (\xs ->
                   let ys = #[shared] s.map_lane (* 2) xs
                   in #[lane] reduce (+) 0 ys)
                xss
  , s.map_block (s.map_lane (* 2)) xss
  , s.map_block (\xs ->
                   let ys = s.to_shared xs
                   in #[lane] map (\i -> ys[m - 1 - i]) (iota m))
                xss
  )
