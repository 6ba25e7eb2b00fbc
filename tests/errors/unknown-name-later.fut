-- expect: unknown-name
-- A definition that is used before it is made.
def main (xs: []i64): []i64 = map double xs

def double (x: i64): i64 = x * 2
