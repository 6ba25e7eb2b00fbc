-- expect: unexpected-token
-- Type arguments as in other languages.
def first (xs: []i32): i32 = xs[0]

def main (xs: [i32]): i32 = first(xs)
