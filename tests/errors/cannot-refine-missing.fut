-- expect: cannot-refine
-- The module type has no such type.
module type container = {
  type elem
  val first: elem
}

module numbers: container with element = i64 = {
  type elem = i64
  def first: elem = 1
}
