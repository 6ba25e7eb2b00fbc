-- expect: literal-out-of-range, literal-out-of-range, literal-out-of-range, literal-out-of-range, literal-out-of-range
-- Hexadecimal literals may state all bits.
entry main = (300u8, -129i8, -128i8, 99999999999999999999i32, 1e39f32, 0xffi8, 0x1ffi8)
