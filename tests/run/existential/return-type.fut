-- Functions with existential sizes in their result.
-- ==
-- input { [1, -2, 3] } output { [1, 3] [1, 3, -2] 2i64 }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) 0i64 }

def positives [n] (xs: [n]i32): ?[k].[k]i32 = filter (> 0) xs
def sorted_by_sign [n] (xs: [n]i32): []i32 =
  let (a, b) = partition (> 0) xs
  in a ++ b
def main (xs: []i32): ([]i32, []i32, i64) =
  (positives xs, sorted_by_sign xs, length (positives xs))
