-- map2, map3, map4 and map5.
-- ==
-- input { [1, 2] [10, 20] } output { [11, 22] [12, 24] [13, 26] [113, 226] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) (ys: [n]i32): ([n]i32, [n]i32, [n]i32, [n]i32) =
  let hundreds = map (* 100) xs
  in ( map2 (+) xs ys
     , map3 (\a b c -> a + b + c) xs ys xs
     , map4 (\a b c d -> a + b + c + d) xs ys xs xs
     , map5 (\a b c d e -> a + b + c + d + e) xs ys xs xs hundreds
     )
