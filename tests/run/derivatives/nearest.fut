-- Derivatives of the least of what a map yields, which go back through one iteration of it.
-- ==
-- entry: slopes
-- input { [[1.0, 0.0], [4.0, 4.0]] [[0.0, 0.0], [5.0, 5.0], [0.0, 0.0]] }
-- output { [[2.0, 0.0], [-2.0, -2.0]] [[-2.0, 0.0], [2.0, 2.0], [0.0, 0.0]] }
-- input { [[1.0, 2.0]] empty([0][2]f64) } output { [[0.0, 0.0]] empty([0][2]f64) }

-- ==
-- entry: same
-- input { [[1.0, 0.5], [4.0, 3.0], [-2.0, 1.0]] [[0.25, 0.5], [5.0, 2.0]] } output { true }

def cost [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  f64.sum (map (\p ->
                  f64.minimum (map (\c ->
                                      f64.sum (map2 (\x y -> (x - y) ** 2) p c))
                                   centres))
               points)

entry slopes [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  vjp (\(points, centres) -> cost points centres) (points, centres) 1

-- Also where something else is done with all that the map yields.
def spread [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  let far p = map (\c -> f64.sum (map2 (\x y -> f64.sin (x * y)) p c)) centres
  in f64.sum (map (\p ->
                     let xs = far p
                     in f64.maximum xs * f64.minimum xs
                        + f64.sum (map (\x -> x * x) xs))
                  points)

entry same [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  let back = vjp (spread points) centres 1
  let forward =
    tabulate_2d k d (\i j ->
                       jvp (spread points) centres
                           (tabulate_2d k d (\u v ->
                              f64.bool (u == i && v == j))))
  in and (map2 (\a b -> and (map2 (\x y -> f64.abs (x - y) < 1e-12) a b)) back
               forward)
