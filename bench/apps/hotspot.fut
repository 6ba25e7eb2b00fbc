-- The temperature of a chip: a grid of cells that are heated by the power they use, exchange heat with their four
-- neighbours, and lose heat to the air. The answer is the temperatures after some steps, the hottest place and the
-- mean temperature.
-- ==
-- entry: main
-- nobench input { 1i32 [[320.5f32, 309.5f32, 325.25f32], [303f32, 304.5f32, 334.25f32]] [[4f32, 20f32, 0f32],
--   [32f32, 12f32, 0f32]] }
-- output { [[320.49998f32, 309.49998f32, 325.24998f32], [302.99999f32, 304.49999f32, 334.24998f32]] 334.24998f32
--   1i64 2i64 316.16665f32 }
-- nobench input { 6i32 [[305.5f32, 327.75f32, 326.75f32, 304.25f32], [315.25f32, 305.75f32, 335.25f32, 327f32],
--   [303.75f32, 336f32, 307.75f32, 314.25f32], [340f32, 337.25f32, 303.75f32, 336.75f32], [337.25f32, 325.25f32,
--   303f32, 314f32]] [[0f32, 32f32, 8f32, 16f32], [24f32, 8f32, 32f32, 4f32], [16f32, 32f32, 8f32, 4f32], [12f32,
--   20f32, 4f32, 32f32], [4f32, 0f32, 12f32, 28f32]] }
-- output { [[305.49991f32, 327.74991f32, 326.7499f32, 304.24991f32], [315.24991f32, 305.74991f32, 335.2499f32,
--   326.9999f32], [303.74991f32, 335.9999f32, 307.74991f32, 314.24991f32], [339.9999f32, 337.2499f32, 303.74991f32,
--   336.7499f32], [337.2499f32, 325.2499f32, 302.99991f32, 313.99991f32]] 339.9999f32 3i64 0i64 320.32491f32 }
-- "small" compiled script input { chip 50i32 128i64 128i64 }
-- "medium" compiled script input { chip 60i32 512i64 512i64 }
-- "large" compiled script input { chip 100i32 1024i64 1024i64 }

-- Physical constants of the chip.
def t_chip: f32 = 0.0005
def chip_height: f32 = 0.016
def chip_width: f32 = 0.016
def max_pd: f32 = 3.0e6
def precision: f32 = 0.001
def spec_heat_si: f32 = 1.75e6
def k_si: f32 = 100
def factor_chip: f32 = 0.5
def ambient: f32 = 80

type constants = {cap: f32, rx: f32, ry: f32, rz: f32, step: f32}

def constants (rows: i64) (cols: i64): constants =
  let height = chip_height / f32.i64 rows
  let width = chip_width / f32.i64 cols
  in {cap = factor_chip * spec_heat_si * t_chip * width * height,
      rx = width / (2 * k_si * t_chip * height),
      ry = height / (2 * k_si * t_chip * width),
      rz = t_chip / (k_si * height * width),
      step =
        precision / (max_pd / (factor_chip * t_chip * spec_heat_si)) / 1000}

-- The heat a cell gains or loses in one step. At a border the cell itself stands for what is not there.
def new_temperature [rows] [cols] (c: constants) (temp: [rows][cols]f32)
                    (power: [rows][cols]f32) (i: i64) (j: i64)
                    : f32 =
  let here = temp[i, j]
  let north = if i == 0 then here else temp[i - 1, j]
  let south = if i == rows - 1 then here else temp[i + 1, j]
  let west = if j == 0 then here else temp[i, j - 1]
  let east = if j == cols - 1 then here else temp[i, j + 1]
  let vertical = (north + south - 2 * here) / c.ry
  let horizontal = (east + west - 2 * here) / c.rx
  let air = (ambient - here) / c.rz
  let delta = c.step / c.cap * (power[i, j] + vertical + horizontal + air)
  in here + delta

def one_step [rows] [cols] (c: constants) (power: [rows][cols]f32)
             (temp: [rows][cols]f32): [rows][cols]f32 =
  map (\i -> map (\j -> new_temperature c temp power i j) (iota cols))
      (iota rows)

-- The hottest cell; of equals the first.
def hottest [rows] [cols] (temp: [rows][cols]f32): (f32, i64, i64) =
  let hotter (t1, i1) (t2, i2) =
    if t1 > t2 then (t1, i1)
    else if t2 > t1 then (t2, i2)
    else (t1, i64.min i1 i2)
  let (t, i) =
    reduce_comm hotter (-f32.inf, i64.highest)
                (zip (flatten temp) (iota (rows * cols)))
  in (t, i / cols, i % cols)

entry main [rows] [cols] (steps: i32) (temp: [rows][cols]f32)
           (power: [rows][cols]f32)
           : ([rows][cols]f32, f32, i64, i64, f32) =
  let c = constants rows cols
  let final = loop temp for _i < steps do one_step c power temp
  let (t, i, j) = hottest final
  let mean = f64.sum (map f64.f32 (flatten final)) / f64.i64 (rows * cols)
  in (final, t, i, j, f32.f64 mean)

-- A chip with a few hot units on it.
entry chip (steps: i32) (rows: i64) (cols: i64)
           : (i32, [rows][cols]f32, [rows][cols]f32) =
  let unit (y: f32) (x: f32) (y0: f32) (x0: f32) (size: f32) (watts: f32): f32 =
    if f32.abs (y - y0) < size && f32.abs (x - x0) < size then watts else 0
  let cell i j =
    let (y, x) = (f32.i64 i / f32.i64 rows, f32.i64 j / f32.i64 cols)
    in 0.001 + 0.0001 * f32.i64 ((i * 7 + j * 13) % 29)
       + unit y x 0.3 0.3 0.11 0.015 + unit y x 0.7 0.55 0.07 0.025
       + unit y x 0.5 0.85 0.1 0.01
  in (steps,
      tabulate_2d rows cols (\i j -> 323 + f32.i64 ((i * 3 + j * 5) % 17) / 4),
      tabulate_2d rows cols cell)
