-- Power and shifts as members of the module u16.
-- ==
-- input { 3u16 4u16 }
-- output { [81u16, 48, 0, 0] }
-- input { 1u16 15u16 }
-- output { [1u16, 32768, 0, 0] }
-- input { 32767u16 1u16 }
-- output { [32767u16, 65534, 16383, 16383] }
-- input { 0u16 2u16 }
-- output { [0u16, 0, 0, 0] }

def main (x: u16) (k: u16): [4]u16 =
  [x u16.** k, x u16.<< k, x u16.>> k, x u16.>>> k]
