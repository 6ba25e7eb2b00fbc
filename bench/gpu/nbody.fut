-- What bodies do to each other: the acceleration of each. An interaction counts as 20 operations.
-- work "4096": 0.33554432 GFLOP
-- work "65536": 85.8993459 GFLOP
-- ==
-- "tiny" nobench input { [0f32, 1f32] [0f32, 0f32] [0f32, 0f32] [1f32, 2f32] }
-- output { [1.97037f32, -0.985185f32] [0f32, 0f32] [0f32, 0f32] }
-- "4096" compiled script input { bodies 4096i64 }
-- "65536" compiled script input { bodies 65536i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry bodies (n: i64): ([n]f32, [n]f32, [n]f32, [n]f32) =
  let random k = tabulate n (\i -> value (4 * i + k))
  in (random 0, random 1, random 2, random 3)

type vec = (f32, f32, f32)

-- The softening keeps close bodies, and a body and itself, from dividing by nothing.
def pull ((x, y, z): vec) ((px, py, pz): vec, mass: f32): vec =
  let (dx, dy, dz) = (px - x, py - y, pz - z)
  let square = dx * dx + dy * dy + dz * dz + 0.01
  let s = mass / (square * f32.sqrt square)
  in (s * dx, s * dy, s * dz)

def add ((ax, ay, az): vec) ((bx, by, bz): vec): vec =
  (ax + bx, ay + by, az + bz)

entry main [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (masses: [n]f32)
           : ([n]f32, [n]f32, [n]f32) =
  let positions = zip3 xs ys zs
  let bodies = zip positions masses
  in unzip3 (map (\p -> reduce add (0, 0, 0) (map (pull p) bodies)) positions)
