-- The minimum spanning forest of a weighted graph after Boruvka: in every round each tree takes the lightest edge that
-- leaves it, trees that are joined get one name, and edges within a tree go away.
-- ==
-- entry: main
-- "a square with a diagonal" nobench input { 5i64 [0i32, 1i32, 2i32, 3i32, 0i32] [1i32, 2i32, 3i32, 0i32, 2i32]
--   [4i32, 2i32, 7i32, 1i32, 3i32] }
-- output { 6i64 [1i64, 3i64, 4i64] [0i32, 0i32, 0i32, 0i32, 4i32] }
-- "equal weights" nobench input { 3i64 [0i32, 1i32, 2i32] [1i32, 2i32, 0i32] [5i32, 5i32, 5i32] }
-- output { 10i64 [0i64, 1i64] [0i32, 0i32, 0i32] }
-- "two trees and a loop" nobench input { 6i64 [0i32, 3i32, 2i32, 1i32, 4i32] [2i32, 1i32, 2i32, 3i32, 5i32]
--   [9i32, 8i32, 1i32, 6i32, -3i32] }
-- output { 12i64 [0i64, 3i64, 4i64] [0i32, 1i32, 0i32, 1i32, 4i32, 4i32] }
-- "small" compiled script input { network 10000i64 50000i64 }
-- "medium" compiled script input { network 50000i64 250000i64 }
-- "large" compiled script input { network 250000i64 1500000i64 }

type graph [m] = {us: [m]i32, vs: [m]i32, weights: [m]i32}

def no_edge: (i32, i64) = (i32.highest, i64.highest)

-- The lighter of two edges; of equally heavy ones the first, so that no circle can come about.
def lighter (w1: i32, e1: i64) (w2: i32, e2: i64): (i32, i64) =
  if w1 < w2 || (w1 == w2 && e1 < e2) then (w1, e1) else (w2, e2)

-- Follow the parents until everyone points at a root.
def jump [n] (parents: *[n]i32): [n]i32 =
  let (parents, _) =
    loop (parents, moving) = (parents, true) while moving do
      let next = map (\p -> parents[p]) parents
      in (next, or (map2 (!=) next parents))
  in parents

-- The trees at the two ends of an edge.
def trees [n] [m] (g: graph [m]) (labels: [n]i32) (e: i64): (i32, i32) =
  (labels[g.us[e]], labels[g.vs[e]])

def round [n] [m] (g: graph [m]) (labels: [n]i32) (edges: []i64)
          : ([n]i32, []i64, []i64) =
  -- each edge offers itself at both of its ends
  let (us, vs) = unzip (map (trees g labels) edges)
  let offers = map (\e -> (g.weights[e], e)) edges
  let best =
    reduce_by_index (replicate n no_edge) lighter no_edge
                    (map i64.i32 (us ++ vs)) (offers ++ offers)

  -- the root hooks onto the tree at the other side of its edge; of two that chose one another the lower is the root
  let hook (root: i32) (_, e) =
    if e == i64.highest then root
    else
      let (a, b) = trees g labels e
      in if a == root then b else a
  let everyone = map i32.i64 (iota n)
  let hooked = map2 hook everyone best
  let parents =
    map2 (\root p -> if hooked[p] == root && root < p then root else p) everyone
         hooked
  let taken =
    zip3 best parents everyone
    |> filter (\((_, e), p, root) -> e != i64.highest && p != root)
    |> map (\((_, e), _, _) -> e)

  let roots = jump parents
  let labels' = map (\l -> roots[l]) labels
  let rest = filter (\e -> let (a, b) = trees g labels' e in a != b) edges
  in (labels', taken, rest)

-- Total weight, the edges that are taken, and for every vertex the least vertex of its tree.
entry main [m] (n: i64) (us: [m]i32) (vs: [m]i32) (weights: [m]i32)
           : (i64, []i64, [n]i32) =
  let g = {us, vs, weights}
  let edges = filter (\e -> us[e] != vs[e]) (iota m)
  let (labels, taken, _) =
    loop (labels, taken, edges) = (map i32.i64 (iota n), [], edges)
    while length edges > 0 do
      let (labels, more, edges) = round g labels edges
      in (labels, taken ++ more, edges)
  let in_forest = scatter (replicate m false) taken (map (const true) taken)
  let chosen = iota m |> zip in_forest |> filter (.0) |> map (.1)
  let least =
    reduce_by_index (replicate n i32.highest) i32.min i32.highest
                    (map i64.i32 labels) (map i32.i64 (iota n))
  in (chosen |> map (\e -> i64.i32 weights[e]) |> i64.sum, chosen,
      map (\l -> least[l]) labels)

def noise (x: u64): u64 =
  let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
  let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
  in x ^ (x >> 31)

-- Half of the edges go to vertices nearby, half anywhere.
entry network (n: i64) (m: i64): (i64, [m]i32, [m]i32, [m]i32) =
  let make e =
    let r = noise (u64.i64 (3 * e + 1))
    let u = i64.u64 (r % u64.i64 n)
    let far = i64.u64 (noise (r + 1) % u64.i64 n)
    let near = (u + 1 + i64.u64 (noise (r + 2) % 16)) % n
    in (i32.i64 u, i32.i64 (if e % 2 == 0 then near else far),
        i32.u64 (noise (r + 3) % 100000))
  let (us, vs, ws) = unzip3 (map make (iota m))
  in (n, us, vs, ws)
