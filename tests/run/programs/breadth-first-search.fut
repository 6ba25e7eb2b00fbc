-- Breadth-first search in compressed rows, level by level.
-- ==
-- input { [0i64, 2, 3, 4, 4, 4] [1i64, 2, 3, 3] 0i64 } output { [0, 1, 1, 2, -1] }
-- input { [0i64, 0] empty([0]i64) 0i64 } output { [0] }

def main [n1] [e] (offsets: [n1]i64) (targets: [e]i64) (source: i64): []i32 =
  let n = n1 - 1
  let dist = replicate n (-1) with [source] = 0
  let (dist, _, _) =
    loop (dist, front, level) = (dist, [source], 0i32) while length front > 0 do
      let dist =
        loop d = dist for v in front do
          loop d for k in offsets[v]..<offsets[v + 1] do
            let w = targets[k]
            in if d[w] < 0 then d with [w] = level + 1 else d
      let front = filter (\v -> dist[v] == level + 1) (iota n)
      in (dist, front, level + 1)
  in dist
