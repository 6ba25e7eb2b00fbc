-- Greatest common divisors by the algorithm of Euclid, and least common multiples.
-- ==
-- input { [12, 17, 0, -4] [18, 5, 7, 6] } output { [6, 1, 7, 2] [36, 85, 0, 12] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def gcd (a: i32) (b: i32): i32 =
  i32.abs (loop (a, b) while b != 0 do (b, a %% b)).0
def main [n] (xs: [n]i32) (ys: [n]i32): ([n]i32, [n]i32) =
  (map2 gcd xs ys,
   map2 (\x y -> if x == 0 || y == 0 then 0 else i32.abs (x // gcd x y * y)) xs
        ys)
