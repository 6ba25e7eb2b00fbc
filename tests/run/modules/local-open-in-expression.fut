-- m.(e) evaluates an expression with a module opened.
-- ==
-- input { 3 4 } output { 19 7 }

module m = {
  def (+) (x: i32) (y: i32) = x * 5 i32.+ y
  def k = 3i32
}
def main (x: i32) (y: i32): (i32, i32) = (m.(x + y), x + m.(k) + 1)
