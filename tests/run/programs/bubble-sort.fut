-- A bubble sort in place.
-- ==
-- input { [3, 1, 2] } output { [1, 2, 3] }
-- input { [5, 4, 3, 2, 1, 0, -1] } output { [-1, 0, 1, 2, 3, 4, 5] }
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: *[n]i32): [n]i32 =
  loop xs for i < n do
    loop xs for j < n - 1 - i do
      if xs[j] > xs[j + 1]
      then
        let (a, b) = (xs[j], xs[j + 1])
        let xs[j] = b
        let xs[j + 1] = a
        in xs
      else xs
