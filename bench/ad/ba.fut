-- Bundle adjustment: cameras that see points, and by how much each observation is off. The Jacobian is sparse: two
-- numbers per observation, which depend on one camera (rotation, centre, focal length, principal point, distortion)
-- and one point.
-- ==
-- entry: check
-- nobench input { 2i64 3i64 5i64 } output { true }

-- ==
-- entry: primal gradient
-- "50 cameras, 30000 observations" compiled script input { data 50i64 5000i64 30000i64 }
-- "350 cameras, 200000 observations" compiled script input { data 350i64 20000i64 200000i64 }

import "../lib/random"

type vec = [3]f64

def dot3 (a: vec) (b: vec): f64 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
def cross (a: vec) (b: vec): vec =
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
   a[0] * b[1] - a[1] * b[0]]

def rotate (axis: vec) (x: vec): vec =
  let squared = dot3 axis axis
  in if squared == 0
     then map2 (+) x (cross axis x)
     else
       let angle = f64.sqrt squared
       let (c, s) = (f64.cos angle, f64.sin angle)
       let w = map (/ angle) axis
       let part = dot3 w x * (1 - c)
       in map3 (\x y w -> x * c + y * s + w * part) x (cross w x) w

def project (camera: [11]f64) (x: vec): [2]f64 =
  let p = rotate (take 3 camera) (map2 (-) x (camera[3:6] :> [3]f64))
  let (u, v) = (p[0] / p[2], p[1] / p[2])
  let r = u * u + v * v
  let l = 1 + camera[9] * r + camera[10] * r * r
  in [u * l * camera[6] + camera[7], v * l * camera[6] + camera[8]]

def residual (camera: [11]f64) (x: vec) (weight: f64) (seen: [2]f64): [2]f64 =
  map2 (\p q -> weight * (p - q)) (project camera x) seen

entry primal [n] [m] [o] (cameras: [n][11]f64) (xs: [m][3]f64) (weights: [o]f64)
             (cs: [o]i64) (ps: [o]i64) (seen: [o][2]f64) =
  map4 (\c x w s -> residual cameras[c] xs[x] w s) cs ps weights seen

entry gradient [n] [m] [o] (cameras: [n][11]f64) (xs: [m][3]f64)
               (weights: [o]f64)
               (cs: [o]i64) (ps: [o]i64) (seen: [o][2]f64) =
  map4 (\c x w s ->
          map (\seed ->
                 vjp (\(camera, x, w) -> residual camera x w s)
                     (cameras[c], xs[x], w) seed)
              [[1, 0], [0, 1]])
       cs ps weights seen
  |> map (map (\(dc, dx, dw) -> dc ++ dx ++ [dw] :> [15]f64))

entry data (n: i64) (m: i64) (o: i64) =
  (map (\c ->
          [c[0], c[1], c[2], c[3], c[4], c[5] - 5, 1 + c[6] / 10, c[7], c[8],
           c[9] / 100, c[10] / 100])
       (random.matrix 1 n 11),
   random.matrix 2 m 3, random.vector 3 o,
   tabulate o (\i -> i * 7919 % n), tabulate o (\i -> i * 104729 % m),
   random.matrix 4 o 2)

entry check (n: i64) (m: i64) (o: i64): bool =
  let (cameras, xs, weights, cs, ps, seen) = data n m o
  let jacobian = gradient cameras xs weights cs ps seen
  let d = random.matrix 5 o 15
  in and (tabulate o (\i ->
            let (c, x) = (cs[i], ps[i])
            let moved h = residual (random.along h (take 11 d[i]) cameras[c])
                                   (random.along h (d[i, 11:14] :> [3]f64)
                                                 xs[x])
                                   (weights[i] + h * d[i, 14]) seen[i]
            in random.agree (\h -> (moved h)[0])
                            (random.dot d[i] jacobian[i, 0])
               && random.agree (\h -> (moved h)[1])
                               (random.dot d[i] jacobian[i, 1])))
