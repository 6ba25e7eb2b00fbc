-- expect: function-instance
-- A function is mapped over an array and gives functions.
def main (xs: []i64): i64 =
  let adders = map (\x -> \y -> x + y) xs
  in length adders
