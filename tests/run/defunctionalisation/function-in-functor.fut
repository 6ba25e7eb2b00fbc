-- A parametric module whose parameter holds a function that captures a global.
-- ==
-- input { [1, 2] } output { [8, 9] 17 }

def offset: i32 = 7
module type step = { val step: i32 -> i32 }
module runner (s: step) = {
  def run [n] (xs: [n]i32): [n]i32 = map s.step xs
  def total [n] (xs: [n]i32): i32 = i32.sum (run xs)
}
module r = runner { def step = \x -> x + offset }
def main [n] (xs: [n]i32): ([n]i32, i32) = (r.run xs, r.total xs)
