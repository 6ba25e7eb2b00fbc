-- Nests whose levels run at once on a device: segmented reductions and scans, maps that are distributed over what is in
-- them, loops that change places with a map, operators over arrays turned inside out.

-- ==
-- entry: sums
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] }
-- input { empty([0][3]i32) } output { empty([0]i32) }
-- input { empty([3][0]i32) } output { [0, 0, 0] }
entry sums (a: [][]i32): []i32 = map (reduce (+) 0) a

-- A product of 2 by 2 matrices does not commute.
-- ==
-- entry: products
-- input { 2i64 3i64 } output { [[10, 3, 7, 2], [31, 13, 13, 5]] }
entry products (n: i64) (m: i64): [n][4]i32 =
  let by (a: (i32, i32, i32, i32)) (b: (i32, i32, i32, i32)) =
    (a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2,
     a.2 * b.1 + a.3 * b.3)
  let row i = tabulate m (\j -> (i32.i64 (i + j + 1), 1, 1, i32.i64 (i * j)))
  in tabulate n (\i ->
                   let (x, y, z, w) = reduce by (1, 0, 0, 1) (row i)
                   in [x, y, z, w])

-- Large segments are cut into several parts.
-- ==
-- entry: long
-- input { 3i64 100000i64 } output { [4999950000i64, 5000050000i64, 5000150000i64] }
entry long (n: i64) (m: i64): [n]i64 =
  tabulate n (\i -> i64.sum (tabulate m (\j -> i + j)))

-- ==
-- entry: columns
-- input { [[1, 2, 3], [10, 20, 30]] } output { [11, 22, 33] }
-- input { empty([0][2]i32) } output { [0, 0] }
entry columns [n] [m] (a: [n][m]i32): [m]i32 =
  reduce (map2 (+)) (replicate m 0) a

-- The rows are made in the iteration, and something else is reduced beside them.
-- ==
-- entry: outer
-- input { [1, 2, 3] [10, 20] } output { [60, 120] 6 3 }
entry outer [n] [m] (xs: [n]i32) (ys: [m]i32): ([m]i32, i32, i32) =
  let rows = map (\x -> (map (* x) ys, x, x)) xs
  in reduce (\(a, s, g) (b, t, h) -> (map2 (+) a b, s + t, i32.max g h))
            (replicate m 0, 0, i32.lowest) rows

-- ==
-- entry: scans
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
entry scans (a: [][]i32): [][]i32 = map (scan (+) 0) a

-- A scan in two maps, of pairs, with a map after it.
-- ==
-- entry: deep
-- input { [[[1, 2], [3, 4]], [[5, 6], [8, 7]]] } output { [[[10, 30], [30, 70]], [[50, 110], [80, 151]]] }
entry deep (a: [][][]i32): [][][]i32 =
  let op (x: i32, p: i32) (y, q) = (x + y, if q > p then q else p)
  in map (map (\row ->
                 scan op (0, 0) (map (\x -> (x, x)) row)
                 |> map2 (\x (s, p) -> 10 * s + p - x) row))
         a

-- ==
-- entry: softmax
-- input { [[0f64, 0f64], [0f64, 0f64]] } output { [[0.5, 0.5], [0.5, 0.5]] }
entry softmax (a: [][]f64): [][]f64 =
  map (\xs ->
         let greatest = f64.maximum xs
         let exps = map (\x -> f64.exp (x - greatest)) xs
         let sum = f64.sum exps
         in map (/ sum) exps) a

-- A loop with parallelism inside, for each row.
-- ==
-- entry: steps
-- input { 3 [[1, 2, 4], [0, 0, 1]] } output { [[4, 4, 5], [0, 0, 0]] [3, 3] }
-- input { 0 [[1, 2]] } output { [[1, 2]] [0] }
entry steps [n] [m] (k: i32) (a: [n][m]i32): ([n][m]i32, [n]i32) =
  unzip (map (\row ->
                loop (r, c) = (copy row, 0) for i < k do
                  (tabulate m (\j ->
                                 r[i64.max 0 (j - 1)]
                                 + (if i > 0 then r[j] else 0)),
                   c + 1))
             a)

-- The sum of one iteration goes into the next.
-- ==
-- entry: power
-- input { [[1i64, 2i64], [3i64, 1i64]] } output { [[9i64, 18i64], [48i64, 16i64]] }
entry power [n] [m] (a: [n][m]i64): [n][m]i64 =
  map (\row ->
         loop r = row for _i < 2 do
           let s = i64.sum r
           in map2 (\x y -> x * s / i64.max 1 (y - y + 1)) row r)
      a

-- Rows of other arrays, indices that are checked, and numbers that all rows share.
-- ==
-- entry: picked
-- input { [1i64, 0i64] [[1, 2, 3], [4, 5, 6]] } output { [[5, 7, 9], [5, 7, 9]] [15, 6] }
-- input { [0i64, 2i64] [[1, 2, 3], [4, 5, 6]] } error: out of bounds
entry picked [n] [k] [m] (is: [n]i64) (a: [k][m]i32): ([n][m]i32, [n]i32) =
  unzip (map (\i ->
                let row = a[i]
                let other = a[(i + 1) % 2]
                in (map2 (+) row other, i32.sum row)) is)

-- A reduction of rows that are reduced.
-- ==
-- entry: best
-- input { [[1, 5], [7, 2], [3, 3]] } output { 9 2 }
entry best (a: [][]i32): (i32, i32) =
  let sums = map (\row -> (i32.sum row, i32.minimum row)) a
  in reduce (\(s, m) (t, l) -> if t > s then (t, l) else (s, m)) (i32.lowest, 0)
            sums

-- Filled, counted and copied rows.
-- ==
-- entry: filled
-- input { 2i64 3i64 } output { [[1i64, 2i64, 3i64], [2i64, 4i64, 6i64]] [[0i64, 1i64, 2i64], [0i64, 1i64, 2i64]] }
entry filled (n: i64) (m: i64): ([n][m]i64, [n][m]i64) =
  unzip (tabulate n (\i ->
           let ones = replicate m (i + 1)
           let counted = iota m
           let sums = scan (+) 0 ones
           in (sums, map (\x -> counted[x % m]) (copy counted))))
