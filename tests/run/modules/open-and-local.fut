-- open brings names into scope, and local keeps them from being exported.
-- ==
-- input { 4 } output { 9 25 }

module a = {
  local def k = 5i32
  def add (x: i32) = x + k
}
module b = {
  open a
  local open { def square (x: i32) = x * x }
  def add_square (x: i32) = square (add x) - 56
}
open b
def main (x: i32): (i32, i32) = (add x, add_square x)
