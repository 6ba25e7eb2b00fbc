-- Names are exported again by open import.
-- ==
-- input { 2 } output { 6 102 }

module m = {
  open import "library"
  def both (x: i32) = (triple x, shifted x)
}
def main (x: i32): (i32, i32) = m.both x
