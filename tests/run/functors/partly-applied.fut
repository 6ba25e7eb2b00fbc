-- A parametric module applied to its first argument only: the types of its result depend on the others.
-- ==
-- input { true } output { 15 }
-- input { false } output { 14 }

module type ops = { type cell val value: cell -> i32 }
module type game = { type cell val score: cell -> i32 val make: bool -> cell }
module type maker = { type cell val init: bool -> cell }
module combine (R: ops) (V: maker with cell = R.cell): game
    with cell = R.cell = {
  type cell = R.cell
  def score (c: cell) = R.value c
  def make (b: bool): cell = V.init b
}
module faded (F: { val speed: i32 }) (R: ops)
    (V: maker with cell = R.cell): game = {
  type cell = (R.cell, i32)
  open (combine {
          type cell = cell
          def value ((c, h): cell) = R.value c + h * F.speed
        }
          { type cell = cell def init (b: bool): cell = (V.init b, 7) })
}
module slow = faded { def speed = 2i32 }
module g = slow { type cell = bool def value (b: cell) = i32.bool b } {
  type cell = bool
  def init (b: bool): cell = b
}
entry main (b: bool) = g.score (g.make b)
