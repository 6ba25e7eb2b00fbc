-- expect: type-arguments
-- The type needs a size.
type vector [n] = [n]f64

def zero: vector = [0, 0, 0]
