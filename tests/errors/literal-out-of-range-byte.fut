-- expect: literal-out-of-range
-- Too large for a byte.
def white: u8 = 256
