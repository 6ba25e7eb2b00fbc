-- expect: copy-in-loop
-- Each state is the next one, and goes into the history as well.

entry main [n] (steps: i64) (start: [n]f64): [steps][n]f64 =
  let (_, history) =
    loop (state, history) = (start, replicate steps (replicate n 0)) for i < steps do
      let next = map (\x -> x + 0.01 * f64.sin x) state
      in (next, history with [i] = next)
  in history
