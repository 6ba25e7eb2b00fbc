-- f16 overflows beyond 65504 and has 11 bits of precision.
-- ==
-- input { 65504f16 1f16 } output { f16.inf 65504f16 32752f16 }
-- input { 2048f16 1f16 } output { 4096f16 2048f16 1024f16 }

def main (x: f16) (y: f16): (f16, f16, f16) = (x + x, x + y, x / 2)
