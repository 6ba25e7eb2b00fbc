-- Conway's game of life and relatives on a torus, built from parametric modules: the rule, the neighbourhood and the
-- colouring are all parameters. One of the games has cells that fade away over several generations.
-- ==
-- entry: conway
-- "blinker" nobench input { 1i32 [[false, false, false, false, false], [false, false, true, false, false],
--   [false, false, true, false, false], [false, false, true, false, false], [false, false, false, false, false]] }
-- output { [[0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 1u8, 1u8, 1u8, 0u8],
--   [0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8]] 3i64 }
-- "block stays" nobench input { 7i32 [[true, true, false, false], [true, true, false, false],
--   [false, false, false, false], [false, false, false, false]] }
-- output { [[1u8, 1u8, 0u8, 0u8], [1u8, 1u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8]] 4i64 }

-- ==
-- entry: fading
-- "one cell dies slowly" nobench input { 2i32 [[false, false, false, false], [false, true, false, false],
--   [false, false, false, false], [false, false, false, false]] }
-- output { [[0u8, 0u8, 0u8, 0u8], [0u8, 2u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8]] 0i64 }

-- ==
-- entry: conway highlife seeds_game fading diamond
-- "small" compiled script input { soup 10i32 300i64 400i64 }
-- "medium" compiled script input { soup 40i32 600i64 800i64 }
-- "large" compiled script input { soup 100i32 1200i64 1000i64 }

-- What a cell is, what its neighbours see of it, and what becomes of it.
module type game = {
  type cell
  val born: bool -> cell
  val weight: cell -> i32
  val next: cell -> i32 -> cell
  val shade: cell -> u8
}

-- Which cells count as neighbours.
module type neighbourhood = {
  val sum [h] [w]: [h][w]i32 -> [h][w]i32
}

module moore: neighbourhood = {
  def rows [h] [w] (xs: [h][w]i32) =
    map3 (map3 (\a b c -> a + b + c)) (rotate (-1) xs) xs (rotate 1 xs)
  def columns [h] [w] (xs: [h][w]i32) = xs |> transpose |> rows |> transpose
  def sum [h] [w] (xs: [h][w]i32): [h][w]i32 =
    map2 (map2 (-)) (columns (rows xs)) xs
}

module von_neumann: neighbourhood = {
  def sum [h] [w] (xs: [h][w]i32): [h][w]i32 =
    map4 (map4 (\a b c d -> a + b + c + d)) (rotate 1 xs) (rotate (-1) xs)
         (map (rotate 1) xs) (map (rotate (-1)) xs)
}

module type simulation = {
  val run [h] [w]: i32 -> [h][w]bool -> ([h][w]u8, i64)
}

module mk_simulation (N: neighbourhood) (G: game): simulation = {
  def step [h] [w] (board: [h][w]G.cell): [h][w]G.cell =
    board |> map (map G.weight) |> N.sum |> map2 (map2 G.next) board

  def run [h] [w] (generations: i32) (start: [h][w]bool) =
    let board =
      loop board = map (map G.born) start for _g < generations do step board
    let alive = map (map (G.weight >-> i64.i32)) board |> map i64.sum |> i64.sum
    in (map (map G.shade) board, alive)
}

-- Rules as people note them: numbers of neighbours with which a cell is born and with which it survives.
module type rule = {
  val births: i32
  val survivals: i32
}

def bits [n] (counts: [n]i32): i32 = reduce (|) 0 (map (\c -> 1 << c) counts)
def has (set: i32) (count: i32): bool = (set >> count) & 1 == 1

module two_state (R: rule): game with cell = bool = {
  type cell = bool
  def born alive = alive
  def weight (c: cell) = i32.bool c
  def next (c: cell) (around: i32): cell =
    if c then has R.survivals around else has R.births around
  def shade (c: cell) = u8.bool c
}

-- Cells that do not survive fade through some generations in which they count for nothing but keep their place.
module mk_fading (R: rule) (P: { val generations: u8 }): game = {
  type cell = #dead | #alive | #fading u8

  def born (b: bool): cell = if b then #alive else #dead
  def weight (c: cell): i32 =
    match c
    case #alive -> 1
    case _ -> 0
  def next (c: cell) (around: i32): cell =
    match c
    case #dead -> if has R.births around then #alive else #dead
    case #alive ->
      if has R.survivals around then #alive else #fading P.generations
    case #fading 1 -> #dead
    case #fading left -> #fading (left - 1)
  def shade (c: cell): u8 =
    match c
    case #dead -> 0
    case #alive -> 255
    case #fading left -> left
}

module life_rule = { def births = bits [3] def survivals = bits [2, 3] }
module high_rule = { def births = bits [3, 6] def survivals = bits [2, 3] }
module seeds_rule = { def births = bits [2] def survivals = 0i32 }
module brain_rule = { def births = bits [2] def survivals = bits [3, 4, 5] }
module odd_rule = { def births = bits [1, 3] def survivals = bits [0, 1, 3] }

module on_moore = mk_simulation moore
module life = on_moore (two_state life_rule)
module high = on_moore (two_state high_rule)
module seeds = on_moore (two_state seeds_rule)
module brain_of = mk_fading brain_rule
module brain = on_moore (brain_of { def generations = 3u8 })
module odd = mk_simulation von_neumann (two_state odd_rule)

entry conway [h] [w] (n: i32) (board: [h][w]bool) = life.run n board
entry highlife [h] [w] (n: i32) (board: [h][w]bool) = high.run n board
entry seeds_game [h] [w] (n: i32) (board: [h][w]bool) = seeds.run n board
entry fading [h] [w] (n: i32) (board: [h][w]bool) = brain.run n board
entry diamond [h] [w] (n: i32) (board: [h][w]bool) = odd.run n board

-- A board with about a third of the cells alive.
entry soup (n: i32) (h: i64) (w: i64): (i32, [h][w]bool) =
  let scramble (x: u32) =
    let x = (x ^ (x >> 15)) * 0x2c1b3c6d
    in let x = (x ^ (x >> 12)) * 0x297a2d39
    in x ^ (x >> 15)
  in (n, tabulate_2d h w (\i j -> scramble (u32.i64 (i * w + j + 1)) % 3 == 0))
