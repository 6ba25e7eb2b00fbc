-- expect: parametric-module
-- The module must be applied first.
module type number = {
  type t
  val zero: t
}

module sums (n: number) = {
  def empty: n.t = n.zero
}

def main: f64 = sums.empty
