-- Frequencies of the letters of a text.
-- ==
-- input { [98u8, 97, 98, 33, 122] } output { 1 2 1 4 }
-- input { empty([0]u8) } output { 0 0 0 0 }

def main [n] (s: [n]u8): (i32, i32, i32, i32) =
  let h = hist (+) 0 26 (map (\c -> i64.u8 c - 'a') s) (replicate n 1)
  in (h[0], h[1], h[25], i32.sum h)
