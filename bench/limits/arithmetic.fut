-- Products and sums of what is in registers, eight at a time that need not wait for each other: how fast a device computes.
-- A step is 64 operations.
-- work "64K, 256 steps of f32": 1.07374182 GFLOP
-- work "1M, 1024 steps of f32": 68.7194767 GFLOP
-- work "64K, 256 steps of f64": 1.07374182 GFLOP of f64
-- work "1M, 1024 steps of f64": 68.7194767 GFLOP of f64
-- ==
-- entry: single
-- "tiny" nobench input { 1 [0f32, 1f32] } output { [4f32, 52f32] }
-- "64K, 256 steps of f32" compiled script input { singles 256i32 65536i64 }
-- "1M, 1024 steps of f32" compiled script input { singles 1024i32 1048576i64 }

-- ==
-- entry: double
-- "tiny" nobench input { 1 [0f64, 1f64] } output { [4f64, 52f64] }
-- "64K, 256 steps of f64" compiled script input { doubles 256i32 65536i64 }
-- "1M, 1024 steps of f64" compiled script input { doubles 1024i32 1048576i64 }

-- Factors below 1, so that nothing grows.
entry singles (steps: i32) (n: i64): (i32, [n]f32) =
  (steps, tabulate n (\i -> f32.i64 (i % 1024) / 2048))
entry doubles (steps: i32) (n: i64): (i32, [n]f64) =
  (steps, tabulate n (\i -> f64.i64 (i % 1024) / 2048))

module chains (T: real) = {
  def four (x: T.t) (a: T.t): T.t =
    let h = T.f64 0.5
    let a = T.(a * x + h)
    let a = T.(a * x + h)
    let a = T.(a * x + h)
    in T.(a * x + h)

  def run (steps: i32) (x: T.t): T.t =
    let at (k: i64) = T.(x + i64 k)
    let (v0, v1, v2, v3, v4, v5, v6, v7) =
      loop (v0, v1, v2, v3, v4, v5, v6,
            v7) = (at 0, at 1, at 2, at 3, at 4, at 5, at 6, at 7)
      for _i < steps do
        (four x v0, four x v1, four x v2, four x v3, four x v4, four x v5,
         four x v6, four x v7)
    in T.(v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7)
}

module of_f32 = chains f32
module of_f64 = chains f64

-- A step at 1 takes the numbers 1 to 8 to 3 to 10, and at 0 whatever to a half.
entry single (steps: i32) (xs: []f32) = map (of_f32.run steps) xs
entry double (steps: i32) (xs: []f64) = map (of_f64.run steps) xs
