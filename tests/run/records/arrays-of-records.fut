-- Arrays of records are mapped, sorted by a field through reduction, and updated.
-- ==
-- input { [5, 3, 9] [0.5, 1.5, 2.5] } output { 9 2.5 [5, 0, 9] }
-- input { [1] [1.0] } error: out of bounds

def main [n] (ids: [n]i32) (vs: [n]f64): (i32, f64, [n]i32) =
  let rs = map2 (\id v -> {id, v}) ids vs
  let best =
    reduce (\a b -> if a.v >= b.v then a else b) {id = -1, v = f64.lowest} rs
  let rs' = copy rs with [1] = {id = 0, v = 0.0}
  in (best.id, best.v, map (.id) rs')
