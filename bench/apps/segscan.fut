-- A library of segmented operations on irregular data, and what people do with it on sparse data: sparse matrix times
-- vector, drawing lines of different lengths by expansion, the sizes of words in a text, and ranks within groups.
-- ==
-- entry: spmv
-- "three rows" nobench input { [2i64, 0i64, 3i64] [0i64, 2i64, 0i64, 1i64, 2i64] [1f32, 2f32, 3f32, 4f32, 5f32]
--   [1f32, 10f32, 100f32] }
-- output { [201f32, 0f32, 543f32] }
-- "small" compiled script input { sparse 60000i64 10i64 }
-- "medium" compiled script input { sparse 400000i64 12i64 }
-- "large" compiled script input { sparse 2000000i64 14i64 }

-- ==
-- entry: lines
-- "two lines" nobench input { 3i64 4i64 [[0i32, 0i32, 3i32, 0i32], [1i32, 2i32, 1i32, 0i32]] }
-- output { [[1i32, 2i32, 1i32, 1i32], [0i32, 1i32, 0i32, 0i32], [0i32, 1i32, 0i32, 0i32]] 7i64 }
-- "a dot" nobench input { 1i64 2i64 [[1i32, 0i32, 1i32, 0i32]] } output { [[0i32, 1i32]] 1i64 }
-- "small" compiled script input { some_lines 400i64 4000i64 }
-- "medium" compiled script input { some_lines 1000i64 15000i64 }
-- "large" compiled script input { some_lines 2000i64 100000i64 }

-- ==
-- entry: words
-- "a sentence" nobench input { [97u8, 98u8, 32u8, 32u8, 99u8, 32u8, 97u8, 98u8] }
-- output { [2i64, 1i64, 2i64] [195i32, 99i32, 195i32] }
-- "blanks" nobench input { [32u8, 32u8] } output { empty([0]i64) empty([0]i32) }
-- "small" compiled script input { text 200000i64 }
-- "medium" compiled script input { text 2000000i64 }
-- "large" compiled script input { text 20000000i64 }

-- ==
-- entry: ranks
-- "by group" nobench input { [2i64, 3i64] [5i32, 1i32, 7i32, 9i32, 7i32] }
-- output { [1i32, 5i32, 7i32, 7i32, 9i32] [5i32, 9i32] [3f64, 7.666666666666667f64] }
-- "small" compiled script input { groups 2000i64 }
-- "medium" compiled script input { groups 40000i64 }
-- "large" compiled script input { groups 250000i64 }

-- Scan with a fresh start at every flag.
def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool)
                   (vals: [n]t): [n]t =
  let pairs =
    scan (\(f1, v1) (f2, v2) -> (f1 || f2, if f2 then v2 else v1 `op` v2))
         (false, ne) (zip flags vals)
  in (unzip pairs).1

-- The last value of every segment: segments run from flag to flag, and the first element has one.
def segmented_reduce [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool)
                     (vals: [n]t): []t =
  let scanned = segmented_scan op ne flags vals
  let ends = rotate 1 flags
  let offsets = scan (+) 0 (map i64.bool ends)
  let segments = if n > 0 then offsets[n - 1] else 0
  let put i end = if end then i - 1 else -1
  in scatter (replicate segments ne) (map2 put offsets ends) scanned

-- How far it is from every element that is there at all to the one before it.
def jumps [n] (counts: [n]i64): [n]i64 =
  let present = map2 (\c i -> if c > 0 then i else 0) counts (iota n)
  let latest = scan i64.max i64.lowest present
  in map2 (\i p -> if i == 0 then 0 else p - latest[i - 1]) (iota n) present

-- Element i as often as the i-th count says.
def replicated_iota [n] (counts: [n]i64): []i64 =
  let after = scan (+) 0 counts
  let before = map2 (-) after counts
  let size = if n == 0 then 0 else after[n - 1]
  let marks =
    hist (+) 0 size (map2 (\b c -> if c == 0 then -1 else b) before counts)
         (jumps counts)
  in scan (+) 0 marks

def starts [n] (xs: [n]i64): [n]bool =
  map (\i -> i == 0 || xs[i] != xs[i - 1]) (iota n)

-- Every element becomes as many as it is long.
def expand 'a 'b [n] (length_of: a -> i64) (get: a -> i64 -> b) (xs: [n]a)
           : []b =
  let owners = replicated_iota (map length_of xs)
  let places = segmented_scan (+) 0 (starts owners) (map (const 1) owners)
  in map2 (\o p -> get xs[o] (p - 1)) owners places

-- The same, and folded again at once; elements of length 0 become the neutral one.
def expand_reduce 'a 'b [n] (length_of: a -> i64) (get: a -> i64 -> b)
                  (op: b -> b -> b) (ne: b) (xs: [n]a): [n]b =
  let lengths = map length_of xs
  let owners = replicated_iota lengths
  let flags = starts owners
  let places = segmented_scan (+) 0 flags (map (const 1) owners)
  let values = map2 (\o p -> get xs[o] (p - 1)) owners places
  let folded = segmented_reduce op ne flags values
  let number = scan (+) 0 (map (\l -> i64.bool (l > 0)) lengths)
  in map2 (\l k -> if l > 0 then folded[k - 1] else ne) lengths number

entry spmv [n] [m] [k] (sizes: [n]i64) (columns: [m]i64) (values: [m]f32)
           (vector: [k]f32): [n]f32 =
  let rows = zip (map2 (-) (scan (+) 0 sizes) sizes) sizes
  in expand_reduce (.1) (\(start, _) i ->
                           values[start + i] * vector[columns[start + i]])
                   (+) 0 rows

type line = {x0: i32, y0: i32, x1: i32, y1: i32}

def points_in (l: line): i64 =
  1 + i64.i32 (i32.max (i32.abs (l.x1 - l.x0)) (i32.abs (l.y1 - l.y0)))
def point_of (l: line) (i: i64): (i64, i64) =
  let steps = i32.i64 (i64.max 1 (points_in l - 1))
  let along from to =
    i64.i32 from
    + (i64.i32 (to - from) * i * 2 + i64.i32 steps) / (2 * i64.i32 steps)
  in (along l.y0 l.y1, along l.x0 l.x1)

-- How many lines cross each pixel, and how many pixels were drawn.
entry lines [n] (h: i64) (w: i64) (ends: [n][4]i32): ([h][w]i32, i64) =
  let drawn =
    ends
    |> map (\e -> {x0 = e[0], y0 = e[1], x1 = e[2], y1 = e[3]})
    |> expand points_in point_of
  in (reduce_by_index_2d (replicate h (replicate w 0)) (+) 0 drawn
                         (map (const 1) drawn),
      length drawn)

-- The lengths of the words of a text, and a sum of their letters that tells them apart somewhat.
entry words [n] (text: [n]u8): ([]i64, []i32) =
  let blank = map (== 32) text
  let starts = map (\i -> i == 0 || blank[i] != blank[i - 1]) (iota n)
  let (lengths, sums) =
    map (\c -> if c == 32 then (0, 0) else (1, i32.u8 c)) text
    |> segmented_reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) starts
    |> filter (\(l, _) -> l > 0)
    |> unzip
  in (lengths, sums)

-- Every group in order, its greatest, and its mean: each element counts who in its group comes before it.
entry ranks [g] [n] (sizes: [g]i64) (xs: [n]i32): ([n]i32, []i32, []f64) =
  let owners = replicated_iota sizes :> [n]i64
  let flags = starts owners
  let first = map2 (-) (scan (+) 0 sizes) sizes
  let rank i =
    let (x, from) = (xs[i], first[owners[i]])
    let earlier j = xs[j] < x || (xs[j] == x && j < i)
    in loop r = from for j in from ..< from + sizes[owners[i]] do
         if earlier j then r + 1 else r
  let sorted = scatter (copy xs) (map rank (iota n)) xs
  let add (a, n) (b, m) = (a + b, n + m)
  let totals =
    segmented_reduce add (0, 0) flags (map (\x -> (f64.i32 x, 1)) sorted)
  in (sorted, segmented_reduce i32.max i32.lowest flags sorted,
      map (uncurry (/)) totals)

def hash (i: i64): i64 =
  let x = u64.i64 (i + 1) * 0x9e3779b97f4a7c15
  let x = (x ^ (x >> 31)) * 0xd6e8feb86659fd93
  in i64.u64 ((x ^ (x >> 32)) >> 1)

entry sparse (n: i64) (per_row: i64): ([n]i64, []i64, []f32, []f32) =
  let sizes = tabulate n (\i -> hash i % 7 * (hash (i + n) % per_row) / 6)
  let m = i64.sum sizes
  in (sizes, tabulate m (\i -> hash (3 * i) % n),
      tabulate m (\i -> f32.i64 (hash i % 100) / 50), replicate n 1.5)

entry some_lines (size: i64) (n: i64): (i64, i64, [n][4]i32) =
  let end i = i32.i64 (hash i % size)
  let near i a =
    i32.max 0 (i32.min (i32.i64 size - 1) (a + i32.i64 (hash i % 200) - 100))
  in (size, size, tabulate n (\i ->
                                let (a, b) = (end (4 * i), end (4 * i + 1))
                                in [a, b, near (4 * i + 2) a,
                                    near (4 * i + 3) b]))

entry text (n: i64): [n]u8 =
  tabulate n (\i ->
                if hash i % 6 == 0 then 32 else u8.i64 (97 + hash (2 * i) % 26))

entry groups (g: i64): ([g]i64, []i32) =
  let sizes = tabulate g (\i -> hash i % 40)
  in (sizes, tabulate (i64.sum sizes) (\i -> i32.i64 (hash (i + 5) % 1000)))
