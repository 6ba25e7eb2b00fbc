-- expect: unknown-type, unknown-type, type-arguments, type-arguments, type-arguments, unknown-type
-- Types of other languages.
def a (x: int) = x

def b (x: double) = x

def c (xs: f64[]) = xs

def d [n] (xs: f64[n]) = xs

def e (xs: f32[][]) = xs

def f (x: size_t) = x
