-- fma of f64 rounds once, where multiplying and adding would lose everything.
-- ==
-- input { 1.0000000000000002 0.9999999999999998 -1.0 }
-- output { -4.930380657631324e-32 }
-- input { 3.0 5.0 1.0 }
-- output { 16.0 }

def main (a: f64) (b: f64) (c: f64): f64 = f64.fma a b c
