-- Branches with array literals of different sizes, whose rows agree.
-- ==
-- input { true } output { [[1, 2], [3, 4]] }
-- input { false } output { [[5, 6]] }

def main (b: bool): [][2]i32 = if b then [[1, 2], [3, 4]] else [[5, 6]]
