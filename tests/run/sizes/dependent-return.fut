-- The size of the result depends on a parameter.
-- ==
-- input { 3i64 7 } output { [7, 7, 7] [7, 7, 7, 7, 7, 7] }
-- input { 0i64 7 } output { empty([0]i32) empty([0]i32) }

def fill 'a (n: i64) (x: a): [n]a = map (const x) (iota n)
def main (n: i64) (x: i32): ([n]i32, [2 * n]i32) = (fill n x, fill (2 * n) x)
