-- Operators defined with their name in parentheses, also polymorphic ones.
-- ==
-- input { [1, 2] [3] } output { [1, 2, 3, 1, 2] 3i64 }
-- input { empty([0]i32) [5] } output { [5] 1i64 }

def (<+>) [n] [m] 'a (xs: [n]a) (ys: [m]a): []a = xs ++ ys ++ xs
def (|>>) 'a 'b (x: a) (f: a -> b): b = f x
def main (xs: []i32) (ys: []i32): ([]i32, i64) =
  (xs <+> ys, (xs ++ ys) |>> length)
