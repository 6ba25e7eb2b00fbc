-- A transparent type in a module type can be used outside.
-- ==
-- input { 2 } output { 3 }

module m: { type t = i32 val up: t -> t } = {
  type t = i32
  def up (x: t) = x + 1
}
def main (x: i32): m.t = m.up x
