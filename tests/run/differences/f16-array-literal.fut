-- An array literal of constants of type f16.
-- ==
-- tags { no_peer }
-- input { 2.0f16 }
-- output { [2.0f16, 3.0, 5.0, -200.0] }

def main (x: f16): [4]f16 = map (* x) [1, 1.5, 2.5, -100]
