-- A module type hides names and makes a type abstract.
-- ==
-- input { 5 } output { 7 }
-- input { 0 } output { 2 }

module type counter = {
  type t
  val zero: t
  val up: t -> t
  val get: t -> i32
}
module counter: counter = {
  type t = {n: i32, hidden: bool}
  def secret = 1i32
  def zero = {n = 0, hidden = true}
  def up (c: t) = c with n = c.n + secret
  def get (c: t) = c.n
}
def main (x: i32): i32 =
  let c = counter.up (counter.up counter.zero)
  in counter.get c + x
