-- Operators defined between their patterns, whose fixity follows from the first characters.
-- ==
-- input { 1 2 3 4 } output { 5 11 -10 5 }

def (a: i32, b: i32) +^ (c: i32, d: i32) = (a * c - b * d, a * d + b * c)
def (a: i32) *+ (b: i32) = a * b + 1
def (a: i32) -| (b: i32) = b - a

def main (a: i32) (b: i32) (c: i32) (d: i32): (i32, i32, i32, i32) =
  let (x, y) = (a, b) +^ (c, d)
  in (a + b *+ 2 - 1, b *+ (c + b) + 0, x - 5 |> (* 1), a -| b -| d + b)
