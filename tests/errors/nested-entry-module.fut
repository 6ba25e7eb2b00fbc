-- expect: nested-entry
-- Entry points are not in modules.
module physics = {
  entry step (x: f64): f64 = x + 1
}

def main (x: f64): f64 = physics.step x
