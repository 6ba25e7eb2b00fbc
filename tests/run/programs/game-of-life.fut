-- Generations of the game of life on a torus: a blinker and a still block.
-- ==
-- input { [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]] 1 }
-- output { [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]] }
-- input { [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]] 2 }
-- output { [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]] }
-- input { [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]] 3 }
-- output { [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]] }

def step [n] [m] (a: [n][m]i32): [n][m]i32 =
  let rows =
    map3 (\u c d -> map3 (\x y z -> x + y + z) u c d) (rotate (-1) a) a
         (rotate 1 a)
  let sums =
    map (\r -> map3 (\x y z -> x + y + z) (rotate (-1) r) r (rotate 1 r)) rows
  in map2 (map2 (\alive s -> i32.bool (s == 3 || (alive == 1 && s == 4)))) a
          sums
def main [n] [m] (a: [n][m]i32) (k: i32): [n][m]i32 = iterate k step a
