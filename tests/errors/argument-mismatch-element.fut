-- expect: argument-mismatch
-- A number where an array is needed.
def total (xs: []i64): i64 = reduce (+) 0 xs

def main (x: i64): i64 = total x
