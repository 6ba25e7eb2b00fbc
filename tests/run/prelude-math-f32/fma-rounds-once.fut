-- fma of f32 rounds once, where multiplying and adding would lose everything.
-- ==
-- input { 1.0000001f32 0.9999999f32 -1.0f32 }
-- output { -1.4210855e-14f32 }
-- input { 3.0f32 5.0f32 1.0f32 }
-- output { 16.0f32 }

def main (a: f32) (b: f32) (c: f32): f32 = f32.fma a b c
