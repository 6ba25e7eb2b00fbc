-- Polynomials as functions, their sums and compositions.
-- ==
-- input { 2 [1, 0, 3] } output { 13 26 169 }
-- input { 0 [1, 0, 3] } output { 1 2 1 }

def poly [n] (cs: [n]i32) = \x -> foldr (\c acc -> acc * x + c) 0 cs
def add (f: i32 -> i32) (g: i32 -> i32) = \x -> f x + g x
def main (x: i32) (cs: []i32): (i32, i32, i32) =
  let p = poly cs
  let q = add p p
  let r = p >-> (\y -> y * y)
  in (p x, q x, r x)
