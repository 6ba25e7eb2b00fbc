-- expect: unclosed-delimiter
-- A bracket of an index is missing.
def last [n] (xs: [n]i64): i64 =
  xs[n - 1

def main (xs: []i64): i64 = last xs
