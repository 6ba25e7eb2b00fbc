-- expect: module-mismatch
-- The module lacks a value.
module type monoid = {
  type t
  val zero: t
  val plus: t -> t -> t
}

module sum: monoid = {
  type t = i64
  def plus (x: t) (y: t): t = x + y
}
