-- Ranges with equal bounds are empty or have one element.
-- ==
-- input { 3 } output { empty([0]i32) [3] empty([0]i32) }
-- input { -3 } output { empty([0]i32) [-3] empty([0]i32) }

def main (a: i32): ([]i32, []i32, []i32) = (a..<a, a...a, a..>a)
