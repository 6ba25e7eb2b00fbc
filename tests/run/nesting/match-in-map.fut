-- A match with parallel work in its cases inside a map.
-- ==
-- input { [0, 1, 2, 3] [4, 5, 6] } output { [15, 120, 6, -1] }

def main [n] [m] (ops: [n]i32) (xs: [m]i32): [n]i32 =
  map (\op ->
         match op
         case 0 -> i32.sum xs
         case 1 -> i32.product xs
         case 2 -> i32.maximum xs
         case _ -> -1)
      ops
