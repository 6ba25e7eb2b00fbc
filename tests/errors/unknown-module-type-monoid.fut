-- expect: unknown-module-type
-- The module type was never defined.
module sum: monoid = {
  type t = i64
  def zero: t = 0
}
