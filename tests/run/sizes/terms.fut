-- Sizes that are computed again after arguments were put in: calls of polymorphic functions, operators, tuples, local functions.
-- ==
-- entry: reduced
-- input { [1i64, 2i64, 3i64] } output { 6i64 12i64 }
-- input { empty([0]i64) } output { 0i64 0i64 }

-- ==
-- entry: shifted
-- input { 3u32 } output { 8i64 }

-- ==
-- entry: paired
-- input { 2i64 5i64 } output { [5i64, 2i64] 7i64 }

-- ==
-- entry: split_rows
-- input { [[1, 2], [0, 0], [3, 4]] } output { 1i64 2i64 }

def total [n] (reps: [n]i64): [reduce (+) 0 reps]i64 = iota (reduce (+) 0 reps)

entry reduced (xs: []i64) =
  let double = map (* 2) xs
  in (length (total (map (\x -> x) xs)), length (total double))

def powers (k: u32): [i64.u32 (1u32 << k)]i64 = iota (i64.u32 (1u32 << k))

entry shifted (k: u32) = length (powers k)

def swap (a: i64, b: i64): (i64, i64) = (b, a)
def both (p: (i64, i64)): [p.0 + p.1]i64 = iota (p.0 + p.1)

entry paired (a: i64) (b: i64) =
  let both_sizes = both (swap (a, b))
  in ([(swap (a, b)).0, (swap (a, b)).1], length both_sizes)

def first_where p xs = loop i = 0 while i < length xs && !p xs[i] do i + 1
def split_where p xs = let i = first_where p xs in (take i xs, drop i xs)

entry split_rows [l] (rows: [][l]i32) =
  let blank (row: [l]i32) = all (== 0) row
  in split_where blank rows
     |> \(before, after) -> (length (id before), length (id after))
