-- The parts of a partition have sizes that add up.
-- ==
-- input { [1, 2, 3] } output { [2, 1, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: [n]i32): [n]i32 =
  let (a, b) = partition (\x -> x % 2 == 0) xs
  in (a ++ b) :> [n]i32
