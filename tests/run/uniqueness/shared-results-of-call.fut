-- Results of a call that share memory with each other but with no argument: updating one leaves the other alone.
-- ==
-- entry: main
-- input { [1i32, 2i32] }
-- output { [9i32, 2i32] [7i32, 2i32] [7i32, 2i32] }

-- ==
-- entry: apart
-- input { [1i32, 2i32] }
-- output { [9i32, 2i32] [5i32, 2i32] [7i32, 2i32] }

def twice (xs: *[2]i32): (*[2]i32, [2]i32, [2]i32) =
  let ys = copy xs with [0] = 7
  let xs = xs with [0] = 9
  in (xs, ys, ys)

entry main (xs: *[2]i32): ([2]i32, [2]i32, [2]i32) = twice xs

entry apart (xs: *[2]i32): ([2]i32, [2]i32, [2]i32) =
  let (xs, ys, zs) = twice xs
  in (xs, copy ys with [0] = 5, zs)
