-- No loop starts before a check that its expression stands under, however deep in the expression it is: as an argument
-- of a function that is replaced by its body, or of one whose result has a size of its own.
-- ==
-- entry: converted sized measured in_map partly twice closure
-- input { 7i64 2i64 } output { 4i64 }
-- input { 7i64 0i64 } error: Assertion is false: \(step > 0\)

-- ==
-- entry: inner
-- input { 7i64 2i64 } output { 4i64 }
-- input { 7i64 0i64 } error: Assertion is false: \(step != 0\)

#[noinline]
def steps (x: i64) (step: i64): i64 =
  (loop (c, s) = (0, 0) while c < x do (c + step, s + 1)).1

entry converted (x: i64) (step: i64): i64 =
  assert (step > 0) (i64.i64 (steps x step))

entry sized (x: i64) (step: i64): i64 =
  length (assert (step > 0) (filter (> 2) (map (\_ -> steps x step) (iota 4))))

entry measured (x: i64) (step: i64): i64 =
  assert (step > 0) (length (replicate (steps x step) 0i8))

entry in_map (x: i64) (step: i64): i64 =
  (map (\y -> assert (step > 0) (i64.max 0 (steps (x - y) step))) [0, 1])[0]

entry partly (x: i64) (step: i64): i64 =
  let (a, b) = assert (step > 0) (id (steps x step), i64.abs 3)
  in if b == 3 then a else 0

entry twice (x: i64) (step: i64): i64 =
  assert (step < 10) (id (assert (step > 0) (id (steps x step))))

entry inner (x: i64) (step: i64): i64 =
  id (assert (step >= 0) (id (assert (step != 0) (id (steps x step)))))

entry closure (x: i64) (step: i64): i64 =
  let f = assert (step > 0) (let k = id (steps x step) in \y -> y + k)
  in f 0
