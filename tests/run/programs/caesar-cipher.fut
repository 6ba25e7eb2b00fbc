-- A Caesar cipher and its inverse.
-- ==
-- input { [72u8, 105, 33] 3u8 } output { [75u8, 108, 33] true }
-- input { [122u8, 90] 1u8 } output { [97u8, 65] true }
-- input { empty([0]u8) 5u8 } output { empty([0]u8) true }

def shift (k: u8) (c: u8): u8 =
  if c >= 'a' && c <= 'z' then (c - 'a' + k) % 26 + 'a'
  else if c >= 'A' && c <= 'Z' then (c - 'A' + k) % 26 + 'A'
  else c
def main [n] (s: [n]u8) (k: u8): ([n]u8, bool) =
  let t = map (shift (k % 26)) s
  in (t, map (shift (26 - k % 26)) t == s)
