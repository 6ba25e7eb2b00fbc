-- expect: use-after-consume
-- Consuming a part of a record uses up the variable.
entry main (n: i64) : ([n]i64, i64) =
  let state = {cells = iota n, steps = 3i64}
  let cells = state.cells with [0] = 7
  in (cells, state.steps)
