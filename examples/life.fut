-- | Conway's game of life on a torus.

type cell = #dead | #alive

def count (c: cell): i32 =
  match c
  case #dead -> 0
  case #alive -> 1

def next (c: cell) (neighbours: i32): cell =
  match (c, neighbours)
  case (#alive, 2) -> #alive
  case (_, 3) -> #alive
  case _ -> #dead

def step [h] [w] (board: [h][w]cell): [h][w]cell =
  let counts = map (map count) board
  let horizontal =
    map (\row ->
           map3 (\a b c -> a + b + c) (rotate (-1) row) row (rotate 1 row))
        counts
  let all_nine =
    map3 (map3 (\a b c -> a + b + c)) (rotate (-1) horizontal) horizontal
         (rotate 1 horizontal)
  let neighbours = map2 (map2 (-)) all_nine counts
  in map2 (map2 next) board neighbours

-- Three in a row turn.
-- ==
-- input { 1 [[false, false, false, false, false],
--            [false, false, false, false, false],
--            [false, true,  true,  true,  false],
--            [false, false, false, false, false],
--            [false, false, false, false, false]] }
-- output { [[false, false, false, false, false],
--           [false, false, true,  false, false],
--           [false, false, true,  false, false],
--           [false, false, true,  false, false],
--           [false, false, false, false, false]] }

entry main [h] [w] (steps: i32) (board: [h][w]bool): [h][w]bool =
  let start = map (map (\alive -> if alive then #alive else #dead)) board
  let end = loop board = start for _i < steps do step board
  in map (map (\c -> match c case #alive -> true case #dead -> false)) end
