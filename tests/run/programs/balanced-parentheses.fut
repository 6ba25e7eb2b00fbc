-- Whether parentheses are balanced, by a prefix sum.
-- ==
-- input { [40u8, 40, 41, 41] } output { true }
-- input { [41u8, 40] } output { false }
-- input { [40u8] } output { false }
-- input { empty([0]u8) } output { true }

def main [n] (s: [n]u8): bool =
  let d = map (\c -> if c == '(' then 1 else if c == ')' then -1 else 0i32) s
  let depths = scan (+) 0 d
  in all (>= 0) depths && i32.sum d == 0
