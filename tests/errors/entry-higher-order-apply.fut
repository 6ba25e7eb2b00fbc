-- expect: entry-higher-order
-- An entry point that takes a function.
entry apply (f: f64 -> f64) (x: f64): f64 = f x
