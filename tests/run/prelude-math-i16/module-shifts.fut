-- Power and shifts as members of the module i16; >>> brings zeros in.
-- ==
-- input { 3i16 4i16 }
-- output { [81i16, 48, 0, 0] }
-- input { 1i16 15i16 }
-- output { [1i16, -32768, 0, 0] }
-- input { 16383i16 1i16 }
-- output { [16383i16, 32766, 8191, 8191] }
-- input { 0i16 2i16 }
-- output { [0i16, 0, 0, 0] }
-- input { -1i16 1i16 }
-- output { [-1i16, -2, -1, 32767] }
-- input { -100i16 3i16 }
-- output { [-16960i16, -800, -13, 8179] }
-- input { -32768i16 15i16 }
-- output { [0i16, 0, -1, 1] }

def main (x: i16) (k: i16): [4]i16 =
  [x i16.** k, x i16.<< k, x i16.>> k, x i16.>>> k]
