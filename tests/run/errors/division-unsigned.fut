-- Division of unsigned numbers by zero.
-- ==
-- input { [7u8, 200] [2u8, 3] } output { [3u8, 66] }
-- input { [7u8, 200] [2u8, 0] } error: division by zero

def main [n] (xs: [n]u8) (ys: [n]u8): [n]u8 = map2 (/) xs ys
