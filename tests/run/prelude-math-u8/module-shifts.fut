-- Power and shifts as members of the module u8.
-- ==
-- input { 3u8 4u8 }
-- output { [81u8, 48, 0, 0] }
-- input { 1u8 7u8 }
-- output { [1u8, 128, 0, 0] }
-- input { 127u8 1u8 }
-- output { [127u8, 254, 63, 63] }
-- input { 0u8 2u8 }
-- output { [0u8, 0, 0, 0] }

def main (x: u8) (k: u8): [4]u8 =
  [x u8.** k, x u8.<< k, x u8.>> k, x u8.>>> k]
