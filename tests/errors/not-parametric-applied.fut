-- expect: not-parametric
-- The module takes no parameters.
module counter = {
  def start: i64 = 0
}

module my_counter = counter { def step: i64 = 2 }
