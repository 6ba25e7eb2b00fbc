-- expect: not-a-function
-- One argument too many.
def double (x: i64): i64 = x * 2

def main (x: i64): i64 = double x 3
