-- Reductions whose operands must stay in order, against loops: their lanes have iterations that follow one another, and
-- hand over up to 16 of each at a time.

def step (i: i64): (u32, u32) = (u32.i64 (i * 7 + 3) | 1, u32.i64 (i * i + 1))

-- Affine maps one after the other.
def compose (a: (u32, u32)) (b: (u32, u32)): (u32, u32) =
  (a.0 * b.0, a.1 * b.0 + b.1)

-- ==
-- entry: affine
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 55i64 } output { true }
-- input { 56i64 } output { true }
-- input { 57i64 } output { true }
-- input { 127i64 } output { true }
-- input { 128i64 } output { true }
-- input { 129i64 } output { true }
-- input { 2047i64 } output { true }
-- input { 2048i64 } output { true }
-- input { 2049i64 } output { true }
-- input { 70001i64 } output { true }
entry affine (n: i64): bool =
  let all = reduce compose (1, 0) (map step (iota n))
  let one = loop acc = (1, 0) for i < n do compose acc (step i)
  in all.0 == one.0 && all.1 == one.1

-- How many there are, the last of them, and whether there is one: two of the operands are numbers, and there is a map
-- beside the reduction.
-- ==
-- entry: beside
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 33i64 } output { true }
-- input { 1023i64 } output { true }
-- input { 70001i64 } output { true }
entry beside (n: i64): bool =
  let op (a: (i64, i64, bool)) (b: (i64, i64, bool)) =
    if b.2 then (if a.2 then (a.0 + b.0, b.1, true) else b) else a
  let xs = map (\i -> (i * i) % 1001) (iota n)
  let all = reduce op (0, 0, false) (map (\x -> (1, x, true)) xs)
  let one = loop acc = (0, 0, false) for i < n do op acc (1, xs[i], true)
  in all.0 == one.0
     && all.1 == one.1
     && i64.sum xs == loop s = 0 for i < n do s + xs[i]

-- Elements of one byte and of a space of two dimensions.
-- ==
-- entry: bytes
-- input { 3i64 5i64 } output { true }
-- input { 37i64 111i64 } output { true }
-- input { 0i64 4i64 } output { true }
entry bytes (n: i64) (m: i64): bool =
  let op (a: u8) (b: u8) = if b == 0 then a else b
  let xs = tabulate_2d n m (\i j -> u8.i64 ((i * 31 + j * 17) % 3))
  let all = reduce op 0 (flatten xs)
  in all == loop acc = 0 for i < n do loop acc for j < m do op acc xs[i, j]
