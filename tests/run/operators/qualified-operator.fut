-- Operators from a module, qualified and by local opening.
-- ==
-- input { 7 2 } output { 72 9 27 }

module digits = {
  def (++) (x: i32) (y: i32) = 10 * x + y
  def flip2 (x: i32) (y: i32) = y ++ x
}
def main (x: i32) (y: i32): (i32, i32, i32) =
  (x digits.++ y, x + y, digits.(flip2 x y))
