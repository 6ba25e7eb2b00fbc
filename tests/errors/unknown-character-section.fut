-- expect: unknown-character
-- A symbol that the language does not have.
def price (x: f64): f64 = x * 2 §
