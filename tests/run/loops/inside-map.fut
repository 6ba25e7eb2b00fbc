-- Sequential loops inside a map, with trip counts that differ.
-- ==
-- input { [0, 1, 5, 10] } output { [1, 1, 120, 3628800] }
-- input { empty([0]i32) } output { empty([0]i32) }

def fact (n: i32): i32 = loop acc = 1 for i < n do acc * (i + 1)
def main [n] (xs: [n]i32): [n]i32 = map fact xs
