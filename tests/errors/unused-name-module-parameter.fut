-- expect: unused-name
-- The parameter of a module is not used.
module counter (start: {val start: i64}) = {
  def first: i64 = 0
}
