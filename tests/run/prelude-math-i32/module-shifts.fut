-- Power and shifts as members of the module i32; >>> brings zeros in.
-- ==
-- input { 3 4 }
-- output { [81, 48, 0, 0] }
-- input { 1 31 }
-- output { [1, -2147483648, 0, 0] }
-- input { 1073741823 1 }
-- output { [1073741823, 2147483646, 536870911, 536870911] }
-- input { 0 2 }
-- output { [0, 0, 0, 0] }
-- input { -1 1 }
-- output { [-1, -2, -1, 2147483647] }
-- input { -100 3 }
-- output { [-1000000, -800, -13, 536870899] }
-- input { -2147483648 31 }
-- output { [0, 0, -1, 1] }

def main (x: i32) (k: i32): [4]i32 =
  [x i32.** k, x i32.<< k, x i32.>> k, x i32.>>> k]
