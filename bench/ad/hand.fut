-- Hand tracking: a chain of bones turned by angles moves the points of a mesh, each by weights of bones; residuals are
-- distances to observed points, each matched to a place in a triangle by two numbers of its own. A residual depends on
-- all angles, but only on its own two numbers: the Jacobian takes one direction for each angle and two for all others.
-- ==
-- entry: check
-- nobench input { 4i64 6i64 5i64 } output { true }

-- ==
-- entry: primal gradient
-- "22 bones, 544 vertices, 1000 points" compiled script input { data 22i64 544i64 1000i64 }
-- "22 bones, 544 vertices, 10000 points" compiled script input { data 22i64 544i64 10000i64 }

import "../lib/random"

type matrix = [3][4]f64

-- One motion after another.
def after (a: matrix) (b: matrix): matrix =
  map (\row -> tabulate 4 (\j ->
                 row[0] * b[0, j] + row[1] * b[1, j] + row[2] * b[2, j]
                 + (if j == 3 then row[3] else 0)))
      a

def apply (a: matrix) (x: [3]f64): [3]f64 =
  map (\r -> r[0] * x[0] + r[1] * x[1] + r[2] * x[2] + r[3]) a

def turn (a: f64) (b: f64) (c: f64) (offset: [3]f64): matrix =
  let (sa, ca, sb, cb, sc, cc) =
    (f64.sin a, f64.cos a, f64.sin b, f64.cos b, f64.sin c, f64.cos c)
  in [[cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc, offset[0]],
      [cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc, offset[1]],
      [-sb, sa * cb, ca * cb, offset[2]]]

def residuals [b] [v] [p] (angles: [b]f64) (offsets: [b][3]f64)
              (mesh: [v][3]f64) (weights: [v][b]f64)
              (seen: [p][3]f64) (corners: [p][3]i64) (us: [p][2]f64)
              : [p][3]f64 =
  let own =
    map2 (\angle offset -> turn angle (angle / 2) (angle / 3) offset) angles
         offsets
  let motions =
    loop all = copy own for i in 1..<b do
      all with [i] = copy (after all[i - 1] all[i])
  let moved = map2 (\x ws ->
                      let parts =
                        map2 (\w m -> map (* w) (apply m x)) ws motions
                      let along k = f64.sum (map (\p -> p[k]) parts)
                      in [along 0, along 1, along 2])
                   mesh weights
  in map3 (\s c u ->
             map4 (\s x y z ->
                     s - (u[0] * x + u[1] * y + (1 - u[0] - u[1]) * z))
                  s moved[c[0]] moved[c[1]] moved[c[2]])
          seen corners us

entry primal [b] [v] [p] (angles: [b]f64) (offsets: [b][3]f64) (mesh: [v][3]f64)
             (weights: [v][b]f64)
             (seen: [p][3]f64) (corners: [p][3]i64) (us: [p][2]f64): [p][3]f64 =
  residuals angles offsets mesh weights seen corners us

entry gradient [b] [v] [p] (angles: [b]f64) (offsets: [b][3]f64)
               (mesh: [v][3]f64) (weights: [v][b]f64)
               (seen: [p][3]f64) (corners: [p][3]i64) (us: [p][2]f64) =
  let along d =
    jvp (\(angles, us) -> residuals angles offsets mesh weights seen corners us)
        (angles, us) d
  let unit n k = tabulate n (\i -> f64.bool (i == k))
  in (tabulate 2 (\k -> along (replicate b 0, replicate p (unit 2 k))),
      tabulate b (\k -> along (unit b k, replicate p (replicate 2 0))))

entry data (b: i64) (v: i64) (p: i64) =
  (random.vector 1 b, random.matrix 2 b 3, random.matrix 3 v 3,
   random.matrix 4 v b, random.matrix 5 p 3,
   tabulate_2d p 3 (\i j -> (i * 31 + j * 17) % v),
   map (map (\x -> (x + 1) / 4)) (random.matrix 6 p 2))

entry check (b: i64) (v: i64) (p: i64): bool =
  let (angles, offsets, mesh, weights, seen, corners, us) = data b v p
  let (own, common) = gradient angles offsets mesh weights seen corners us
  let (da, du) = (random.vector 7 b, random.matrix 8 p 2)
  let moved h =
    residuals (random.along h da angles) offsets mesh weights seen corners
              (map2 (random.along h) du us)
  in and (tabulate p (\i -> and (tabulate 3 (\j ->
                                   random.agree (\h -> (moved h)[i, j])
                                                (random.dot da common[:, i, j]
                                                 + random.dot du[i]
                                                              own[:, i, j])))))
