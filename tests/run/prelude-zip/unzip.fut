-- unzip, unzip2, unzip3, unzip4 and unzip5.
-- ==
-- input { [1, 2] } output { [1, 2] [2, 4] [2, 4] [1, 2] [3, 6] [4, 8] [5, 10] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32)
         : ([n]i32, [n]i32, [n]i32, [n]i32, [n]i32, [n]i32, [n]i32) =
  let (a, b) = unzip (map (\x -> (x, 2 * x)) xs)
  let (c, d) = unzip2 (zip2 b a)
  let (_, _, e) = unzip3 (map (\x -> (x, x, 3 * x)) xs)
  let (_, _, _, f) = unzip4 (map (\x -> (x, x, x, 4 * x)) xs)
  let (_, _, _, _, g) = unzip5 (map (\x -> (x, x, x, x, 5 * x)) xs)
  in (a, b, c, d, e, f, g)
