-- Questions about ranges of an array, answered with a tree that folds any monoid over segments, and with a table of
-- powers of two for the minimum. The monoids: sum, least element with its place, and best sum of consecutive elements.
-- ==
-- entry: sums
-- "a few" nobench input { [3i32, -1i32, 4i32, -1i32, 5i32] [0i64, 1i64, 4i64, 2i64] [5i64, 3i64, 5i64, 2i64] }
-- output { [10i64, 3i64, 5i64, 0i64] }

-- ==
-- entry: minima minima_by_table
-- "a few" nobench input { [3i32, -1i32, 4i32, -1i32, 5i32] [0i64, 2i64, 2i64] [5i64, 3i64, 5i64] }
-- output { [-1i32, 4i32, -1i32] [1i64, 2i64, 3i64] }
-- "one" nobench input { [7i32] [0i64] [1i64] } output { [7i32] [0i64] }

-- ==
-- entry: best_runs
-- "a few" nobench input { [3i32, -1i32, 4i32, -9i32, 5i32] [0i64, 1i64, 3i64, 3i64] [5i64, 3i64, 4i64, 5i64] }
-- output { [6i64, 4i64, -9i64, 5i64] }

-- ==
-- entry: sums minima minima_by_table best_runs
-- "small" compiled script input { questions 20000i64 20000i64 }
-- "medium" compiled script input { questions 200000i64 200000i64 }
-- "large" compiled script input { questions 1000000i64 800000i64 }

module type monoid = {
  type t
  val neutral: t
  val <>: t -> t -> t
}

module type range_tree = {
  type t
  type tree [n]
  val build [n]: [n]t -> ?[k].tree [k]
  val query [k]: tree [k] -> (i64, i64) -> t
}

-- The leaves lie behind the inner nodes, and node i has the children 2i and 2i+1.
module mk_tree (M: monoid): range_tree with t = M.t = {
  type t = M.t
  type tree [n] = {nodes: [n]t, leaves: i64}

  def round_up (n: i64): i64 = loop k = 1 while k < n do 2 * k

  def build [n] (xs: [n]t) =
    let leaves = round_up n
    let nodes =
      replicate leaves M.neutral ++ xs ++ replicate (leaves - n) M.neutral
    let (nodes, _) =
      loop (nodes, width) = (nodes, leaves / 2) while width > 0 do
        let level =
          map (\i -> M.(nodes[2 * i] <> nodes[2 * i + 1])) (width ..< 2 * width)
        in (scatter nodes (width ..< 2 * width) level, width / 2)
    in {nodes, leaves}

  -- Climb from both ends and gather what hangs between them; the order of the operands is kept.
  def query [k] (tree: tree [k]) ((from, to): (i64, i64)): t =
    let (_, _, left, right) =
      loop (l, r, left,
            right) =
        (from + tree.leaves, to + tree.leaves, M.neutral, M.neutral)
      while l < r do
        let (l, left) =
          if l % 2 == 1 then (l + 1, M.(left <> tree.nodes[l])) else (l, left)
        let (r, right) =
          if r % 2 == 1
          then (r - 1, M.(tree.nodes[r - 1] <> right))
          else (r, right)
        in (l / 2, r / 2, left, right)
    in M.(left <> right)
}

module sum_monoid = {
  type t = i64
  def neutral = 0i64
  def (<>) (x: t) (y: t) = x + y
}

def least (x: i32, i: i64) (y: i32, j: i64): (i32, i64) =
  if x < y || (x == y && i < j) then (x, i) else (y, j)

module least_monoid = {
  type t = (i32, i64)
  def neutral = (i32.highest, i64.highest)
  def (<>) = least
}

-- The best run within, that at the start, that at the end, and the whole.
module run_monoid = {
  type t = {best: i64, prefix: i64, suffix: i64, total: i64}
  def minus_infinity: i64 = i64.lowest / 4
  def neutral: t =
    {best = minus_infinity,
     prefix = minus_infinity,
     suffix = minus_infinity,
     total = 0}
  def single (x: i32): t =
    let x = i64.i32 x in {best = x, prefix = x, suffix = x, total = x}
  def clip x = i64.max minus_infinity x
  def (<>) (a: t) (b: t): t =
    {best = i64.max (i64.max a.best b.best) (clip (a.suffix + b.prefix)),
     prefix = i64.max a.prefix (clip (a.total + b.prefix)),
     suffix = i64.max b.suffix (clip (a.suffix + b.total)),
     total = a.total + b.total}
}

module sum_tree = mk_tree sum_monoid
module least_tree = mk_tree least_monoid
module run_tree = mk_tree run_monoid

entry sums [n] [q] (xs: [n]i32) (froms: [q]i64) (tos: [q]i64): [q]i64 =
  let tree = sum_tree.build (map i64.i32 xs)
  in map (sum_tree.query tree) (zip froms tos)

entry minima [n] [q] (xs: [n]i32) (froms: [q]i64) (tos: [q]i64)
             : ([q]i32, [q]i64) =
  let tree = least_tree.build (zip xs (iota n))
  in zip froms tos |> map (least_tree.query tree) |> unzip

entry best_runs [n] [q] (xs: [n]i32) (froms: [q]i64) (tos: [q]i64): [q]i64 =
  let tree = run_tree.build (map run_monoid.single xs)
  in zip froms tos |> map (run_tree.query tree) |> map (.best)

-- Row k of the table has the least of the 2^k elements from each place on. Ranges must not be empty.
entry minima_by_table [n] [q] (xs: [n]i32) (froms: [q]i64) (tos: [q]i64)
                      : ([q]i32, [q]i64) =
  let log2 x = i64.i32 (63 - i64.clz x)
  let rows = log2 n + 1
  let table =
    loop table = replicate rows (zip xs (iota n)) for k < rows - 1 do
      let last_row = copy table[k]
      let next =
        tabulate n (\i ->
                      least last_row[i]
                            last_row[i64.min (n - 1) (i + (1 << k))])
      in table with [k + 1] = next
  let answer from to =
    let k = log2 (to - from)
    in least table[k, from] table[k, to - (1 << k)]
  in unzip (map2 answer froms tos)

entry questions (n: i64) (q: i64): ([n]i32, [q]i64, [q]i64) =
  let rnd (i: i64) =
    let x = u64.i64 i * 0x9e3779b97f4a7c15
    let x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9
    in x ^ (x >> 32)
  let xs = tabulate n (\i -> i32.u64 (rnd (i + 1) % 2001) - 1000)
  let pair i =
    let a = i64.u64 (rnd (2 * i + 12345) % u64.i64 n)
    let b = i64.u64 (rnd (2 * i + 12346) % u64.i64 n)
    in (i64.min a b, i64.max a b + 1)
  let (froms, tos) = unzip (map pair (iota q))
  in (xs, froms, tos)
