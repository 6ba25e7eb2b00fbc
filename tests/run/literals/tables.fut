-- Tables of constants: data of the program, unless they are changed.
-- ==
-- entry: at
-- input { 0i64 } output { -39i32 }
-- input { 63i64 } output { -31i32 }
-- input { 64i64 } error: out of bounds

-- ==
-- entry: total
-- input { 3i32 } output { -54i32 }

-- ==
-- entry: changed
-- input { 5i64 } output { 45i32 7i32 -56i32 }

-- ==
-- entry: chosen
-- input { true 2i64 } output { 35i32 }
-- input { false 2i64 } output { 70i32 }

-- ==
-- entry: row_sums
-- input { } output { [0i64, 256i64, 257i64] }

-- ==
-- entry: reals
-- input { } output { 35.00f64 true true }

-- ==
-- entry: pairs
-- input { 7i64 } output { 18i32 false }

-- ==
-- entry: in_loop
-- input { 3i64 } output { -3i32 }

-- ==
-- entry: text
-- input { } output { 249u8 }

def numbers: [64]i32 =
  [-39, -2, 35, -29, 8, 45, -19, 18, -46, -9, 28, -36, 1, 38, -26, 11,
   48, -16, 21, -43, -6, 31, -33, 4, 41, -23, 14, -50, -13, 24, -40, -3,
   34, -30, 7, 44, -20, 17, -47, -10, 27, -37, 0, 37, -27, 10, 47, -17,
   20, -44, -7, 30, -34, 3, 40, -24, 13, 50, -14, 23, -41, -4, 33, -31]

entry at (i: i64) = numbers[i]

entry total (k: i32) = reduce (+) 0 (map (* k) numbers)

entry changed (i: i64) =
  let other = copy numbers with [i] = 7
  in (numbers[i], other[i], i32.sum other)

entry chosen (b: bool) (i: i64) =
  let twice = map (* 2) numbers
  in (if b then numbers else twice)[i]

def rows: [3][32]i64 =
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
   [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
   [2, 4, 6, 8, 10, 12, 14, 16, 1, 3, 5, 7, 9, 11, 13, 15,
    0, 2, 4, 6, 8, 10, 12, 14, 16, 1, 3, 5, 7, 9, 11, 13]]

entry row_sums = map i64.sum rows

def fractions: [40]f64 =
  [-4.0, -3.75, -3.5, -3.25, -3.0, -2.75, -2.5, -2.25, -2.0, -1.75,
   -1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75,
   1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25,
   3.5, 3.75, 4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75]

entry reals =
  let special: [33]f32 =
    [f32.nan, f32.inf, -f32.inf, -0.0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
  in (f64.sum fractions, f32.isnan special[0], 1 / special[3] == -f32.inf)

entry pairs (i: i64) =
  let both = zip numbers (map (\x -> x % 2 != 0) numbers)
  in both[i]

entry in_loop (n: i64) =
  loop s = 0 for k < n do
    let mine = copy numbers with [0] = -39
    in s + mine[k] + i32.i64 k

entry text = u8.sum "the quick brown fox jumps over the lazy dog"
