-- expect: no-effect
-- Numbers are not consumed.
def next (seed: *u32): u32 = seed * 1664525 + 1013904223
