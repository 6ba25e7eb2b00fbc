-- Needleman-Wunsch: the best global alignment of two sequences with a penalty for every gap. The matrix of scores is
-- filled in place, block by block along the anti-diagonals of blocks. The answer is the score and the last row.
-- ==
-- entry: main
-- nobench input { 2i32 [1u8, 2u8, 3u8, 4u8, 5u8] [1u8, 3u8, 4u8, 9u8, 5u8, 5u8] }
-- output { 18i32 [-10i32, -2i32, 6i32, 14i32, 14i32, 20i32, 18i32] }
-- nobench input { 2i32 [4u8, 18u8, 2u8, 8u8, 3u8, 15u8, 14u8, 15u8, 12u8, 6u8, 3u8, 15u8, 0u8, 12u8, 13u8, 19u8,
--   0u8, 14u8, 8u8, 7u8, 18u8, 3u8, 10u8, 0u8, 0u8, 0u8, 17u8, 0u8, 12u8, 6u8, 13u8, 0u8, 16u8, 7u8, 14u8, 15u8,
--   17u8, 7u8, 11u8, 7u8] [4u8, 18u8, 2u8, 8u8, 3u8, 7u8, 14u8, 9u8, 0u8, 13u8, 17u8, 3u8, 5u8, 0u8, 12u8, 13u8,
--   19u8, 0u8, 14u8, 8u8, 7u8, 18u8, 3u8, 10u8, 0u8, 0u8, 0u8, 17u8, 0u8, 12u8, 6u8] }
-- output { 114i32 [-80i32, -72i32, -64i32, -56i32, -48i32, -40i32, -32i32, -24i32, -21i32, -18i32, -10i32, -2i32,
--   -2i32, 1i32, 4i32, 8i32, 16i32, 19i32, 22i32, 30i32, 33i32, 41i32, 42i32, 50i32, 58i32, 66i32, 74i32, 82i32,
--   90i32, 98i32, 106i32, 114i32] }
-- "small" compiled script input { sequences 1000i64 }
-- "medium" compiled script input { sequences 3000i64 }
-- "large" compiled script input { sequences 7000i64 }

def block: i64 = 32

-- Letters are 0 to 19; the score falls with their distance on a wheel.
def similarity (a: u8) (b: u8): i32 =
  let d = i32.u8 a - i32.u8 b
  let d = if d < 0 then -d else d
  let d = if d > 10 then 20 - d else d
  in if d == 0 then 6 else if d < 3 then 1 else -d / 2

def max3 (a: i32) (b: i32) (c: i32): i32 = i32.max a (i32.max b c)

-- One block of the matrix from the row above (with the corner), the column to the left, and the letters.
def fill_block [b] (penalty: i32) (above: [b + 1]i32) (left: [b]i32) (xs: [b]u8)
               (ys: [b]u8): [b][b]i32 =
  let tile = replicate b (replicate b 0)
  in loop tile for i < b do
       loop tile for j < b do
         let nw =
           if i == 0
           then above[j]
           else if j == 0
           then left[i - 1]
           else tile[i - 1, j - 1]
         let n = if i == 0 then above[j + 1] else tile[i - 1, j]
         let w = if j == 0 then left[i] else tile[i, j - 1]
         in tile with [i, j] =
              max3 (nw + similarity xs[i] ys[j]) (n - penalty) (w - penalty)

-- The blocks of one anti-diagonal: block (first + t, diagonal - first - t) for every t.
def fill_diagonal (width: i64) (blocks: i64) (penalty: i32) (xs: []u8)
                  (ys: []u8) (diagonal: i64)
                  (matrix: *[]i32): *[]i32 =
  let first = i64.max 0 (diagonal - blocks + 1)
  let last = i64.min diagonal (blocks - 1)
  let count = last - first + 1
  let corner t = ((first + t) * block, (diagonal - first - t) * block)
  let tiles = map (\t ->
                     let (r, c) = corner t
                     let above =
                       matrix[r * width + c:r * width + c + block + 1]
                         :> [block + 1]i32
                     let left =
                       tabulate block (\i -> matrix[(r + 1 + i) * width + c])
                     in fill_block penalty above left
                                   (xs[r:r + block] :> [block]u8)
                                   (ys[c:c + block] :> [block]u8))
                  (iota count)
  let places = tabulate_3d count block block (\t i j ->
                 let (r, c) = corner t in (r + 1 + i) * width + c + 1 + j)
  in scatter matrix (flatten_3d places) (flatten_3d tiles)

-- Sequences are made longer with a letter 0 until whole blocks cover them; the scores of the true part do not know.
def pad (n: i64) (xs: []u8): [n]u8 = xs ++ replicate (n - length xs) 0 :> [n]u8

entry main [n] [m] (penalty: i32) (xs: [n]u8) (ys: [m]u8): (i32, []i32) =
  let blocks = (i64.max n m + block - 1) / block
  let size = blocks * block
  let width = size + 1
  let xs' = pad size xs
  let ys' = pad size ys
  let matrix = replicate (width * width) 0
  let matrix =
    loop matrix for i < width do
      let matrix = matrix with [i] = -penalty * i32.i64 i
      in matrix with [i * width] = -penalty * i32.i64 i
  let matrix =
    loop matrix for d < 2 * blocks - 1 do
      fill_diagonal width blocks penalty xs' ys' d matrix
  in (matrix[n * width + m], matrix[n * width:n * width + m + 1])

-- Two sequences: the second is the first with some letters changed and some left out.
entry sequences (n: i64): (i32, []u8, []u8) =
  let letter i = u8.i64 ((i * i * 7 + i / 3 * 11 + i % 17 * 5) % 20)
  let xs = tabulate n letter
  let kept = filter (\i -> i % 23 != 5) (iota n)
  in (3, xs, map (\i -> if i % 13 == 4 then (xs[i] + 3) % 20 else xs[i]) kept)
