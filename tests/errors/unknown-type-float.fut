-- expect: unknown-type
-- The name of a type in other languages.
def half (x: float): f64 = f64.f32 x / 2
