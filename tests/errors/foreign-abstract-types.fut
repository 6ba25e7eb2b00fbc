-- expect: argument-mismatch, argument-mismatch, type-mismatch
-- Different abstract types of one name.
module type counter = {
  type t
  val zero: t
  val value: t -> i32
}

module a: counter = {
  type t = i32
  def zero = 0i32
  def value (x: i32) = x
}

module outer = {
  module b: counter = a
}

def mixed = a.value outer.b.zero

module instance (M: counter) (N: counter) = {
  def mixed = M.value N.zero
}

def parameters 'a (x: a) = let pair 'a (y: a) = [x, y] in pair
