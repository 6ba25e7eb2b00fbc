-- A loop takes a parameter of the function or a definition for its own by the type of its own parameter. The array stays as
-- it was, also if the result of the loop is changed after no iteration.
-- ==
-- entry: main
-- input { [1, 2, 3] 0i64 } output { [9, 2, 3] [1, 2, 3] }
-- input { [1, 2, 3] 2i64 } output { [9, 4, 5] [1, 2, 3] }

-- ==
-- entry: packed
-- input { [0, 0] [3, 1, 2, 5] } output { [3, 3] 2i64 [3, 1, 2, 5] }

-- ==
-- entry: of_definition
-- input { 0i64 } output { [7, 2, 3] [1, 2, 3] }
-- input { 1i64 } output { [7, 4, 6] [1, 2, 3] }

entry main [n] (xs: [n]i32) (k: i64) =
  let (ys, _) =
    loop (ys: *[n]i32, i) = (xs, 0) while i < k do
      let zs = map (+ 1) ys in (zs, i + 1)
  in (ys with [0] = 9, xs)

entry packed [n] (dest: *[n]i32) (arr: []i32) =
  let (dest, _, steps) =
    loop (d: *[n]i32, e: *[]i32, i) = (dest, arr, 0i64) while length e > 1 do
      let d' = d with [i] = e[0]
      in (d', filter (> e[0]) e, i + 1)
  let (dest, steps) =
    if steps < n then (dest with [steps] = 3, steps + 1) else (dest, steps)
  in (dest, steps, arr)

def table: [3]i32 = [1, 2, 3]
entry of_definition (k: i64) =
  let (t, _) =
    loop (t: *[3]i32, i) = (table, 0) while i < k do
      let u = map (* 2) t in (u, i + 1)
  in (t with [0] = 7, copy table)
