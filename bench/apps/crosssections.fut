-- Neutrons that fly through a reactor need the cross sections of the material they are in: for many random energies
-- and materials, every nuclide of the material is looked up on its own energy grid and interpolated. Five kinds of
-- reaction; the answers are checked by how often each kind is the strongest.
-- ==
-- entry: main
-- "one nuclide" nobench input { 3i64 [[0f64, 0.5f64, 1f64]]
--   [[[1f64, 0f64, 0f64, 0f64, 0f64], [1f64, 2f64, 0f64, 0f64, 0f64], [1f64, 4f64, 0f64, 0f64, 0f64]]]
--   [1i64] [[0i32]] [[2f64]] }
-- output { [0i64, 3i64, 0i64, 0i64, 0i64] [2f64, 4.290019970677608f64, 0f64, 0f64, 0f64] }
-- "no lookups" nobench input { 0i64 [[0f64, 1f64]]
--   [[[1f64, 0f64, 0f64, 0f64, 0f64], [1f64, 2f64, 0f64, 0f64, 0f64]]]
--   [1i64] [[0i32]] [[2f64]] }
-- output { [0i64, 0i64, 0i64, 0i64, 0i64] [0f64, 0f64, 0f64, 0f64, 0f64] }
-- "small" compiled script input { reactor 2000i64 34i64 500i64 }
-- "medium" compiled script input { reactor 20000i64 68i64 2000i64 }
-- "large" compiled script input { reactor 60000i64 68i64 10000i64 }

-- Total, elastic, absorption, fission and its neutrons.
type xs = [5]f64

-- A generator that can skip ahead: what comes after k steps of x -> a x + c modulo 2^63.
def lcg_a: u64 = 2806196910506780709
def lcg_c: u64 = 1
def lcg_mask: u64 = 0x7fffffffffffffff

def lcg (seed: u64): u64 = (lcg_a * seed + lcg_c) & lcg_mask
def uniform (seed: u64): f64 = f64.u64 seed / 9223372036854775808

def skip (seed: u64) (k: u64): u64 =
  let (_, _, _, a, c) =
    loop (k, a, c, a_new, c_new) = (k, lcg_a, lcg_c, 1, 0) while k > 0 do
      let (a_new, c_new) =
        if k & 1 == 1 then (a_new * a, c_new * a + c) else (a_new, c_new)
      in (k >> 1, a * a, c * (a + 1), a_new, c_new)
  in (a * seed + c) & lcg_mask

-- The last grid point that is not above the energy, and never the very last.
def grid_search [g] (grid: [g]f64) (energy: f64): i64 =
  let (low, _) =
    loop (low, high) = (0, g - 1) while high - low > 1 do
      let middle = low + (high - low) / 2
      in if grid[middle] > energy then (low, middle) else (middle, high)
  in low

def micro_xs [n] [g] (grids: [n][g]f64) (values: [n][g]xs) (energy: f64)
             (nuclide: i32): xs =
  let grid = grids[nuclide]
  let i = grid_search grid energy
  let f = (grid[i + 1] - energy) / (grid[i + 1] - grid[i])
  in map2 (\high low -> high - f * (high - low)) values[nuclide, i + 1]
          values[nuclide, i]

def macro_xs [n] [g] [m] [k] (grids: [n][g]f64) (values: [n][g]xs)
             (counts: [m]i64) (nuclides: [m][k]i32) (densities: [m][k]f64)
             (energy: f64) (material: i64): xs =
  #[sequential]
  loop sum = replicate 5 0 for j < counts[material] do
    let micro = micro_xs grids values energy nuclides[material, j]
    in map2 (\s x -> s + densities[material, j] * x) sum micro

-- Fuel is asked for far more often than the rest.
def pick_material (m: i64) (roll: f64): i64 =
  if roll < 0.4 || m == 1
  then 0
  else i64.min (m - 1) (1 + i64.f64 ((roll - 0.4) / 0.6 * f64.i64 (m - 1)))

def strongest (x: xs): i64 =
  let (i, _) =
    loop (best, most) = (0, x[0]) for k in 1..<5 do
      if x[k] > most then (k, x[k]) else (best, most)
  in i

-- How often each kind is the strongest, and the mean of each.
entry main [n] [g] [m] [k] (lookups: i64) (grids: [n][g]f64) (values: [n][g]xs)
           (counts: [m]i64) (nuclides: [m][k]i32) (densities: [m][k]f64)
           : ([5]i64, [5]f64) =
  let lookup (i: i64): xs =
    let seed = skip 1070 (2 * u64.i64 i)
    let next = lcg seed
    let energy = uniform next
    let material = pick_material m (uniform (lcg next))
    in macro_xs grids values counts nuclides densities energy material
  let found = map lookup (iota lookups)
  let votes =
    reduce_by_index (replicate 5 0) (+) 0 (map strongest found)
                    (replicate lookups 1)
  let sums = reduce (map2 (+)) (replicate 5 0) found
  in (votes, map (/ f64.max 1 (f64.i64 lookups)) sums)

-- Grids with increasing energies from 0 to 1, and twelve materials.
entry reactor (lookups: i64) (n: i64) (g: i64)
              : (i64, [n][g]f64, [n][g]xs, [12]i64, [12][n]i32, [12][n]f64) =
  let rnd (i: i64) = uniform (lcg (lcg (skip 42 (u64.i64 i))))
  let point i j =
    if j == 0
    then 0
    else (f64.i64 j + 0.8 * rnd (i * g + j) - 0.4) / f64.i64 (g - 1)
  let grid i = tabulate g (\j -> if j == g - 1 then 1 else point i j)
  let value i j = tabulate 5 (\k -> rnd ((i * g + j) * 5 + k))
  let counts = [n, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9]
  in (lookups, tabulate n grid, tabulate_2d n g value, map (i64.min n) counts,
      tabulate_2d 12 n (\m j -> i32.i64 ((j * 7 + m * 3) % n)),
      tabulate_2d 12 n (\m j -> rnd (m * n + j)))
