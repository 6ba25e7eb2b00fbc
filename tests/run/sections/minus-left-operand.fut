-- A section of - with its left operand.
-- ==
-- input { [1, 2, 3] } output { [9, 8, 7] }
-- input { [-2147483648] } output { [-2147483638] }

def main [n] (xs: [n]i32): [n]i32 = map (10 -) xs
