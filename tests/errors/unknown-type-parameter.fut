-- expect: unknown-type
-- The type parameter is not bound.
def first (xs: []t) = xs[0]
