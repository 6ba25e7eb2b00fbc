-- f32 has 24 bits of precision.
-- ==
-- input { 16777216f32 } output { 16777216f32 16777218f32 false }
-- input { 1f32 } output { 2f32 3f32 true }

def main (x: f32): (f32, f32, bool) = (x + 1, x + 2, x + 1 > x)
