-- zip, zip2, zip3, zip4 and zip5.
-- ==
-- input { [1, 2] [10, 20] } output { [10, 40] [10, 40] [11, 44] [14, 56] [114, 456] }
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) (ys: [n]i32)
         : ([n]i32, [n]i32, [n]i32, [n]i32, [n]i32) =
  let z = map (\x -> x * x) xs
  in ( map (\(a, b) -> a * b) (zip xs ys)
     , map (\(a, b) -> a * b) (zip2 xs ys)
     , map (\(a, b, c) -> a * b + c) (zip3 xs ys z)
     , map (\(a, b, c, d) -> a * b + c + 3 * d) (zip4 xs ys z z)
     , map (\(a, b, c, d, e) -> a * b + c + 3 * d + 10 * a * e)
           (zip5 xs ys z z ys)
     )
