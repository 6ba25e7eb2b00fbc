-- A type parameter need not cover all parameters.
-- ==
-- input { 1 true } output { 1 true }

def pair 'a (x: a) y = (x, y)
def main (x: i32) (b: bool): (i32, bool) = pair x b
