-- expect: unknown-name, unknown-field
-- The same mistake in one definition is reported once.
def main (p: {x: i64, y: i64}): i64 = scale p.x + scale p.y + p.z * p.z
