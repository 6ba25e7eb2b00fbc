-- PageRank by power iteration over a graph in compressed rows: row v lists the pages that link to v. Pages without
-- links give their rank to everyone. Written once with segmented sums over all edges and once row by row.
-- ==
-- entry: by_scan by_rows
-- "ring of three" nobench input { 50i64 0.85f64 [0i64, 1i64, 2i64, 3i64] [2i32, 0i32, 1i32] }
-- output { [0.3333333333333333f64, 0.3333333333333333f64, 0.3333333333333333f64] }
-- "one dangling, two rounds" nobench input { 2i64 0.5f64 [0i64, 1i64, 3i64, 3i64, 4i64] [1i32, 0i32, 3i32, 1i32] }
-- output { [0.24609375f64, 0.36328125f64, 0.14453125f64, 0.24609375f64] }
-- "small" compiled script input { web 10i64 20000i64 8i64 }
-- "medium" compiled script input { web 20i64 60000i64 8i64 }
-- "large" compiled script input { web 20i64 300000i64 10i64 }

-- Operations on segments given by their sizes.
module segments = {
  -- The first index of every segment.
  def starts [n] (sizes: [n]i64): [n]i64 =
    map2 (-) (scan (+) 0 sizes) sizes

  -- Scan within segments, a segment starting where the flag is set.
  def scanned 'a [m] (op: a -> a -> a) (ne: a) (flags: [m]bool) (xs: [m]a)
              : [m]a =
    let step (f1, x1) (f2, x2) = (f1 || f2, if f2 then x2 else op x1 x2)
    in zip flags xs |> scan step (false, ne) |> unzip |> (.1)

  -- One value per segment; empty segments have the neutral one.
  def reduced 'a [n] [m] (op: a -> a -> a) (ne: a) (sizes: [n]i64) (xs: [m]a)
              : [n]a =
    let first = starts sizes
    let flags =
      scatter (replicate m false)
              (map2 (\s k -> if k > 0 then s else -1) first sizes)
              (replicate n true)
    let sums = scanned op ne flags xs
    in map2 (\s k -> if k > 0 then sums[s + k - 1] else ne) first sizes
}

type graph [n] [m] = {
  sizes: [n]i64,   -- pages that link here
  sources: [m]i64, -- and which those are
  out_degree: [n]i64
}

def mk_graph [p] [m] (n: i64) (offsets: [p]i64) (sources: [m]i32)
             : graph [n] [m] =
  let from = map i64.i32 sources
  in {sizes = tabulate n (\v -> offsets[v + 1] - offsets[v]),
      sources = from,
      out_degree = reduce_by_index (replicate n 0) (+) 0 from (replicate m 1)}

-- What every page sends along each of its links, and what the pages without links hold together.
def shares [n] [m] (g: graph [n] [m]) (ranks: [n]f64): ([n]f64, f64) =
  let share d r = if d == 0 then 0 else r / f64.i64 d
  let dangling =
    map2 (\d r -> if d == 0 then r else 0) g.out_degree ranks |> f64.sum
  in (map2 share g.out_degree ranks, dangling)

def rank [n] [m] (gather: [n]f64 -> [n]f64) (g: graph [n] [m]) (damping: f64)
         (rounds: i64): [n]f64 =
  let teleport = (1 - damping) / f64.i64 n
  in loop ranks = replicate n (1 / f64.i64 n) for _i < rounds do
       let (share, dangling) = shares g ranks
       let spread_out = dangling / f64.i64 n
       in map (\x -> teleport + damping * (x + spread_out)) (gather share)

entry by_scan [p] [m] (rounds: i64) (damping: f64) (offsets: [p]i64)
              (sources: [m]i32): []f64 =
  let n = p - 1
  let g = mk_graph n offsets sources
  let gather share =
    segments.reduced (+) 0 g.sizes (map (\s -> share[s]) g.sources)
  in rank gather g damping rounds

entry by_rows [p] [m] (rounds: i64) (damping: f64) (offsets: [p]i64)
              (sources: [m]i32): []f64 =
  let n = p - 1
  let g = mk_graph n offsets sources
  let gather share =
    tabulate n (\v ->
                  loop sum = 0 for i in offsets[v]..<offsets[v + 1] do
                    sum + share[g.sources[i]])
  in rank gather g damping rounds

-- A made-up web: page v is linked from 0 to 2 * degree pages, and the low numbers are more popular sources.
def mix (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)

entry web (rounds: i64) (n: i64) (degree: i64): (i64, f64, []i64, []i32) =
  let sizes = tabulate n (\v -> i64.u32 (mix (u32.i64 v)) % (2 * degree + 1))
  let offsets = [0] ++ scan (+) 0 sizes
  let source i =
    let u = f64.u32 (mix (u32.i64 i * 7 + 3)) / 4294967296
    in i32.f64 (u * u * f64.i64 n)
  in (rounds, 0.85, offsets, map source (iota (last offsets)))
