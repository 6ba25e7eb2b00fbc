-- Breadth-first search from one vertex of a graph in compressed rows, in three ways: by a frontier whose edges are
-- laid out flat, by masks over all vertices as in the old device codes, and by relaxing all edges with a histogram.
-- ==
-- entry: frontier masks edges
-- "a path and one alone" nobench input { 0i64 [0i32, 1i32, 3i32, 4i32, 4i32] [1i32, 0i32, 2i32, 1i32] }
-- output { [0i32, 1i32, 2i32, -1i32] }
-- "two ways" nobench input { 1i64 [0i32, 1i32, 3i32, 4i32, 5i32, 5i32] [4i32, 0i32, 2i32, 3i32, 4i32] }
-- output { [1i32, 0i32, 1i32, 2i32, 2i32] }
-- "small" compiled script input { random_graph 30000i64 6i64 }
-- "medium" compiled script input { random_graph 300000i64 8i64 }
-- "large" compiled script input { random_graph 1500000i64 9i64 }

-- ==
-- entry: frontier masks
-- "grid, small" compiled script input { grid_graph 100i64 }
-- "grid, large" compiled script input { grid_graph 400i64 }

-- Replace every element by as many as sz says, made by get.
def expand 'a 'b (sz: a -> i64) (get: a -> i64 -> b) (xs: []a): []b =
  let sizes = map sz xs
  let ends = scan (+) 0 sizes
  let starts = map2 (-) ends sizes
  let total = if null ends then 0 else last ends
  let marks = reduce_by_index (replicate total 0) i64.max i64.lowest
                              (map2 (\s k -> if k > 0 then s else -1) starts
                                    sizes)
                              (indices xs)
  let owner = scan i64.max i64.lowest marks
  in map2 (\o i -> get xs[o] (i - starts[o])) owner (iota total)

def degree [p] (offsets: [p]i32) (v: i32): i64 =
  i64.i32 (offsets[v + 1] - offsets[v])

-- The vertices of one level at a time. A vertex that is reached twice in a round is kept once, at the last place where
-- it was reached.
entry frontier [p] [m] (source: i64) (offsets: [p]i32) (targets: [m]i32)
               : []i32 =
  let n = p - 1
  let levels = replicate n (-1i32) with [source] = 0
  let (levels, _, _) =
    loop (levels, front, level) = (levels, [i32.i64 source], 0)
    while length front > 0 do
      let reached =
        front
        |> expand (degree offsets) (\v i -> targets[i64.i32 offsets[v] + i])
        |> filter (\v -> levels[v] == -1)
      let ids = indices reached
      let owner =
        reduce_by_index (replicate n (-1)) i64.max i64.lowest
                        (map i64.i32 reached) ids
      let front' =
        zip reached ids |> filter (\(v, i) -> owner[v] == i) |> map (.0)
      let levels =
        scatter levels (map i64.i32 front') (map (const (level + 1)) front')
      in (levels, front', level + 1)
  in levels

-- Every vertex looks at itself in every round: what the vertices under the mask reach is the next mask.
entry masks [p] [m] (source: i64) (offsets: [p]i32) (targets: [m]i32): []i32 =
  let n = p - 1
  -- where every edge comes from
  let source_of =
    let marks = scatter (replicate m 0i32)
                        (tabulate n (\v ->
                                       if offsets[v] < offsets[v + 1]
                                       then i64.i32 offsets[v]
                                       else -1))
                        (map i32.i64 (iota n))
    in scan i32.max i32.lowest marks
  let cost = replicate n (-1i32) with [source] = 0
  let mask = replicate n false with [source] = true
  let (cost, _, _, _) =
    loop (cost, mask, depth, go) = (cost, mask, 0i32, true) while go do
      let touched =
        map2 (\s t -> if mask[s] && cost[t] < 0 then i64.i32 t else -1)
             source_of targets
      let updating = scatter (replicate n false) touched (replicate m true)
      let cost = map2 (\u c -> if u then depth + 1 else c) updating cost
      in (cost, updating, depth + 1, or updating)
  in cost

-- Bellman and Ford: all edges, until nothing gets closer.
entry edges [p] [m] (source: i64) (offsets: [p]i32) (targets: [m]i32): []i32 =
  let n = p - 1
  let far = i32.highest / 2
  let source_of = iota n |> expand (degree offsets <-< i32.i64) (\v _ -> v)
  let source_of = source_of :> [m]i64
  let distances = tabulate n (\v -> if v == source then 0 else far)
  let (distances, _) =
    loop (distances, changing) = (distances, true) while changing do
      let offers = map (\s -> distances[s] + 1) source_of
      let closer =
        reduce_by_index (copy distances) i32.min i32.highest
                        (map i64.i32 targets) offers
      in (closer, map2 (!=) closer distances |> or)
  in map (\d -> if d >= far then -1 else d) distances

def hash (x: u32): u32 =
  let x = (x ^ (x >> 17)) * 0xed5ad4bb
  let x = (x ^ (x >> 11)) * 0xac4c1b51
  in x ^ (x >> 14)

-- About degree edges per vertex, to anywhere.
entry random_graph (n: i64) (degree: i64): (i64, []i32, []i32) =
  let sizes =
    tabulate n (\v -> i32.u32 (hash (u32.i64 v) % u32.i64 (2 * degree)))
  let offsets = [0] ++ scan (+) 0 sizes
  let m = i64.i32 (last offsets)
  in (1, offsets,
      tabulate m (\e -> i32.u32 (hash (u32.i64 e + 77) % u32.i64 n)))

-- A square grid, every point joined with those to the right, below, to the left and above.
entry grid_graph (k: i64): (i64, []i32, []i32) =
  let neighbours v =
    let (y, x) = (v / k, v % k)
    let inside (a, b) = a >= 0 && b >= 0 && a < k && b < k
    in map (\(dy, dx) ->
              if inside (y + dy, x + dx)
              then i32.i64 ((y + dy) * k + x + dx)
              else -1)
           [(0, 1), (1, 0), (0, -1), (-1, 0)]
  let all = map neighbours (iota (k * k))
  let sizes = map (\ns -> i32.sum (map (\t -> i32.bool (t >= 0)) ns)) all
  in (0, [0] ++ scan (+) 0 sizes, all |> flatten |> filter (>= 0))
