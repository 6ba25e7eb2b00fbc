-- Power and shifts as members of the module u32.
-- ==
-- input { 3u32 4u32 }
-- output { [81u32, 48, 0, 0] }
-- input { 1u32 31u32 }
-- output { [1u32, 2147483648, 0, 0] }
-- input { 2147483647u32 1u32 }
-- output { [2147483647u32, 4294967294, 1073741823, 1073741823] }
-- input { 0u32 2u32 }
-- output { [0u32, 0, 0, 0] }

def main (x: u32) (k: u32): [4]u32 =
  [x u32.** k, x u32.<< k, x u32.>> k, x u32.>>> k]
