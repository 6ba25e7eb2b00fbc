-- Power and shifts as members of the module i8; >>> brings zeros in.
-- ==
-- input { 3i8 4i8 }
-- output { [81i8, 48, 0, 0] }
-- input { 1i8 7i8 }
-- output { [1i8, -128, 0, 0] }
-- input { 63i8 1i8 }
-- output { [63i8, 126, 31, 31] }
-- input { 0i8 2i8 }
-- output { [0i8, 0, 0, 0] }
-- input { -1i8 1i8 }
-- output { [-1i8, -2, -1, 127] }
-- input { -100i8 3i8 }
-- output { [-64i8, -32, -13, 19] }
-- input { -128i8 7i8 }
-- output { [0i8, 0, -1, 1] }

def main (x: i8) (k: i8): [4]i8 =
  [x i8.** k, x i8.<< k, x i8.>> k, x i8.>>> k]
