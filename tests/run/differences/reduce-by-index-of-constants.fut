-- reduce_by_index_2d and reduce_by_index_3d whose arguments are all constants.
-- ==
-- tags { no_peer }
-- input { } output { [[41, 30], [30, 5]] [[[4]]] }

def main: ([2][2]i32, [1][1][1]i32) =
  ( reduce_by_index_2d [[0, 0], [0, 0]] (+) 0
                       [(0, 0), (1, 1), (2, 0), (1, 1), (0, 1), (0, 1), (1, 0),
                        (0, 0)]
                       [1, 2, 4, 3, 10, 20, 30, 40]
  , reduce_by_index_3d [[[0]]] (+) 0 [(0, 0, 0), (0, 0, 0), (0, 1, 0)] [1, 3, 5]
  )
