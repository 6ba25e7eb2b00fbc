-- Stable fluids on a square grid with a wall around it: in every step the velocities and the density of a dye are
-- diffused (implicitly, by Jacobi rounds), carried along the velocities backwards in time, and the velocities are
-- made free of divergence again.
-- ==
-- entry: main
-- nobench input { 1i32 2i32 0.1f32 [[-0.25f32, -1f32, 0.75f32], [1.75f32, -1.5f32, -2f32], [1.75f32, 0f32,
--   -0.25f32]] [[-0.5f32, 1.75f32, 1.75f32], [1f32, -1f32, -0.25f32], [-1f32, 2f32, 1f32]] [[2f32, 1.5f32,
--   0.75f32], [1.75f32, 0.25f32, 2f32], [0f32, 1.75f32, 1f32]] }
-- output { [[0f32, -1.07247f32, 0f32], [1.07247f32, -1.07247f32, 1.07247f32], [0f32, -1.07247f32, 0f32]] [[0f32,
--   0.814974f32, 0f32], [-0.814974f32, -0.814974f32, -0.814974f32], [0f32, 0.814974f32, 0f32]] [[0.25f32, 0.25f32,
--   0.25f32], [0.25f32, 0.25f32, 0.25f32], [0.25f32, 0.25f32, 0.25f32]] }
-- nobench input { 2i32 3i32 0.1f32 [[1.25f32, 1f32, 1.5f32, -1f32], [0.75f32, -1.25f32, -1.75f32, -1f32], [1.75f32,
--   -0.5f32, 0f32, 1.25f32], [0.25f32, 1.25f32, 2f32, 1f32]] [[0.75f32, 1.25f32, -0.25f32, 0.5f32], [-2f32, 0f32,
--   -0.75f32, 0.5f32], [-1.25f32, -0.5f32, 0f32, 0.25f32], [-1.25f32, -1.5f32, 1.75f32, 1.75f32]] [[1.5f32,
--   0.75f32, 1.5f32, 1.25f32], [1f32, 2f32, 0.25f32, 1.25f32], [1.25f32, 1.25f32, 1.75f32, 1.75f32], [1f32, 0.5f32,
--   0f32, 2f32]] }
-- output { [[0f32, -0.425187f32, -0.0848349f32, 0f32], [0.425187f32, -0.425187f32, -0.0848349f32, 0.0848349f32],
--   [0.0429227f32, -0.0429227f32, 0.361433f32, -0.361433f32], [0f32, -0.0429227f32, 0.361433f32, 0f32]] [[0f32,
--   -0.234556f32, 0.492342f32, 0f32], [0.234556f32, 0.234556f32, -0.492342f32, -0.492342f32], [0.0457998f32,
--   0.0457998f32, 0.0527339f32, 0.0527339f32], [0f32, -0.0457998f32, -0.0527339f32, 0f32]] [[1.67133f32,
--   1.67133f32, 0.558123f32, 0.558123f32], [1.67133f32, 1.67133f32, 0.558123f32, 0.558123f32], [1.27189f32,
--   1.27189f32, 1.66773f32, 1.66773f32], [1.27189f32, 1.27189f32, 1.66773f32, 1.66773f32]] }
-- "small" compiled script input { whirl 3i32 10i32 64i64 }
-- "medium" compiled script input { whirl 3i32 20i32 256i64 }
-- "large" compiled script input { whirl 3i32 20i32 600i64 }

module mk_solver (R: float) = {
  type t = R.t
  type field [n] = [n][n]t

  local def half = R.f64 0.5

  -- A slice as long as the caller says it is.
  def resize 'a [n] (m: i64) (xs: [n]a): [m]a = xs[0:m] :> [m]a

  def inner [n] (g: i64) (f: field [n]): field [g] =
    map (\row -> resize g row[1:]) (resize g f[1:])

  -- The g by g inside with a wall of width one around it; fx and fy tell the sign of the left and right and of the
  -- upper and lower wall. The corners are the means of their neighbours.
  def with_wall [g] (n: i64) (fx: t) (fy: t) (f: field [g]): field [n] =
    let clamp i = i64.max 0 (i64.min (g - 1) (i - 1))
    let edge i = i == 0 || i == n - 1
    let at i j =
      let s =
        (if edge j then fx else R.i32 1) R.* (if edge i then fy else R.i32 1)
      in s R.* f[clamp i, clamp j]
    in tabulate_2d n n (\i j ->
         if edge i && edge j
         then
           let i' = if i == 0 then 1 else n - 2
           let j' = if j == 0 then 1 else n - 2
           in half R.* (at i' j R.+ at i j')
         else at i j)

  -- (x - a * sum of neighbours) / c = x0 by some rounds of Jacobi.
  def solve [n] (rounds: i32) (fx: t) (fy: t) (a: t) (c: t) (x0: field [n])
            : field [n] =
    let g = n - 2
    in loop x = x0 for _k < rounds do
         with_wall n fx fy
                   (tabulate_2d g g (\i j ->
                      let (i, j) = (i + 1, j + 1)
                      let around =
                        x[i - 1, j] R.+ x[i + 1, j] R.+ x[i, j - 1]
                        R.+ x[i, j + 1]
                      in (x0[i, j] R.+ a R.* around) R./ c))

  def diffuse [n] (rounds: i32) (fx: t) (fy: t) (rate: t) (dt: t)
              (x0: field [n]): field [n] =
    let g = R.i64 (n - 2)
    let a = dt R.* rate R.* g R.* g
    in solve rounds fx fy a (R.i32 1 R.+ R.i32 4 R.* a) x0

  def advect [n] (fx: t) (fy: t) (dt: t) (u: field [n]) (v: field [n])
             (d: field [n]): field [n] =
    let g = n - 2
    let scale = dt R.* R.i64 g
    let limit x = R.max half (R.min (R.i64 g R.+ half) x)
    let carried (i: i64) (j: i64) =
      let x = limit (R.i64 j R.- scale R.* u[i, j])
      let y = limit (R.i64 i R.- scale R.* v[i, j])
      let (j0, i0) = (R.to_i64 x, R.to_i64 y)
      let (s, r) = (x R.- R.i64 j0, y R.- R.i64 i0)
      let mix p a b = (R.i32 1 R.- p) R.* a R.+ p R.* b
      in mix r (mix s d[i0, j0] d[i0, j0 + 1])
             (mix s d[i0 + 1, j0] d[i0 + 1, j0 + 1])
    in with_wall n fx fy (tabulate_2d g g (\i j -> carried (i + 1) (j + 1)))

  def project [n] (rounds: i32) (u: field [n]) (v: field [n])
              : (field [n], field [n]) =
    let g = n - 2
    let h = R.i32 1 R./ R.i64 g
    let one = R.i32 1
    let div = with_wall n one one
                        (tabulate_2d g g (\i j ->
                           R.neg half R.* h
                           R.* (u[i + 1, j + 2] R.- u[i + 1, j]
                                R.+ v[i + 2, j + 1] R.- v[i, j + 1])))
    let p =
      loop p = replicate n (replicate n (R.i32 0)) for _k < rounds do
        with_wall n one one
                  (map2 (map2 (\around d -> (d R.+ around) R./ R.i32 4))
                        (tabulate_2d g g (\i j ->
                           p[i, j + 1] R.+ p[i + 2, j + 1] R.+ p[i + 1, j]
                           R.+ p[i + 1, j + 2]))
                        (inner g div))
    let grad_x =
      tabulate_2d g g (\i j -> half R.* (p[i + 1, j + 2] R.- p[i + 1, j]) R./ h)
    let grad_y =
      tabulate_2d g g (\i j -> half R.* (p[i + 2, j + 1] R.- p[i, j + 1]) R./ h)
    in (with_wall n (R.neg one) one (map2 (map2 (R.-)) (inner g u) grad_x),
        with_wall n one (R.neg one) (map2 (map2 (R.-)) (inner g v) grad_y))

  type state [n] = {u: field [n], v: field [n], density: field [n]}

  def step [n] (rounds: i32) (visc: t) (diff: t) (dt: t) (s: state [n])
           : state [n] =
    let one = R.i32 1
    let mirror = R.neg one
    let u = diffuse rounds mirror one visc dt s.u
    let v = diffuse rounds one mirror visc dt s.v
    let (u, v) = project rounds u v
    let u' = advect mirror one dt u v u
    let v' = advect one mirror dt u v v
    let (u, v) = project rounds u' v'
    let density =
      diffuse rounds one one diff dt s.density |> advect one one dt u v
    in {u, v, density}
}

module fluid = mk_solver f32

entry main [n] (steps: i32) (rounds: i32) (dt: f32) (u: [n][n]f32)
           (v: [n][n]f32) (density: [n][n]f32) =
  let s =
    loop s = {u, v, density} for _i < steps do
      fluid.step rounds 0.0001 0.0002 dt s
  in (s.u, s.v, s.density)

-- A whirl of dye in the middle of the box.
entry whirl (steps: i32) (rounds: i32) (g: i64)
            : (i32, i32, f32, [][]f32, [][]f32, [][]f32) =
  let n = g + 2
  let centred i = (f32.i64 i - f32.i64 n / 2) / f32.i64 n
  let bump i j = f32.exp (-20 * (centred i * centred i + centred j * centred j))
  in (steps, rounds, 0.1,
      tabulate_2d n n (\i j -> -(bump i j) * centred i),
      tabulate_2d n n (\i j -> bump i j * centred j),
      tabulate_2d n n (\i j ->
                         if (i / 8 + j / 8) % 2 == 0 then bump i j else 0))
