-- Functions as pictures: a disc is shifted and united with another one.
-- ==
-- input { 3i64 } output { [[true, true, false], [true, true, true], [false, true, true]] }
-- input { 1i64 } output { [[true]] }
-- input { 0i64 } output { empty([0][0]bool) }

type^ image = i64 -> i64 -> bool
def disc (r: i64): image = \x y -> x * x + y * y <= r
def shift (dx: i64) (dy: i64) (f: image): image = \x y -> f (x - dx) (y - dy)
def union (f: image) (g: image): image = \x y -> f x y || g x y
def main (n: i64): [n][n]bool =
  tabulate_2d n n
              (union (disc 1) (shift 2 2 (disc 1))
               |> \f -> \i j -> f i j || (i == 1 && j == 1))
