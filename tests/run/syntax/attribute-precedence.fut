-- An attribute covers the whole expression behind it.
-- ==
-- input { 2 3 } output { 8 8 }

def main (x: i32) (y: i32): (i32, i32) = (#[foo] x + y * 2, (#[foo] x) + (#[bar] y * 2))
