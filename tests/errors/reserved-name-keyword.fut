-- expect: reserved-name
-- A keyword as the name of a parameter.
def pick (case: i64) (xs: []f64): f64 = xs[case]
