-- Sections that index or slice an array.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [2, 5] [[3, 2, 1], [6, 5, 4]] 6 }
-- input { [[7, 8, 9]] } error: out of bounds

def main [n] (xss: [n][3]i32): ([n]i32, [n][3]i32, i32) =
  (map (.[1]) xss, map (\xs -> (xs |> (.[::-1])) :> [3]i32) xss,
   xss |> (.[1, 2]))
