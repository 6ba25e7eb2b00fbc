-- A size parameter that occurs only in a function type, determined by the context.
-- ==
-- input { 4i64 } output { [0i64, 1, 4, 9] 4i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

def build (n: i64) (f: [n]i64 -> [n]i64): [n]i64 = f (iota n)
def main (n: i64): ([n]i64, i64) =
  let xs = build n (map (\i -> i * i))
  in (xs, length xs)
