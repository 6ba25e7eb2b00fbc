-- The function sized changes the size known statically, and checks it.
-- ==
-- input { [1, 2, 3] 3i64 } output { [0i64, 2, 6] }
-- input { [1, 2, 3] 2i64 } error: .

def main (xs: []i32) (n: i64): [n]i64 =
  map2 (*) (map i64.i32 (sized n xs)) (iota n) |> map (\x -> x)
