-- Strings are compared and concatenated like other arrays.
-- ==
-- input { [97u8, 98] } output { true false [97u8, 98, 33] }
-- input { [97u8, 99] } output { false true [97u8, 99, 33] }

def main (s: [2]u8): (bool, bool, []u8) = (s == "ab", s != "ab", s ++ "!")
