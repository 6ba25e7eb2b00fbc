-- A definition may be used by all that follow it, also inside modules.
def two: i64 = 2

module doubled = {
  def two: i64 = 2 * two
  def four: i64 = two
}

entry main (x: i64): i64 = x * two + doubled.four
