-- expect: no-equality
-- Functions cannot be compared.
def same (f: i64 -> i64) (g: i64 -> i64): bool = f == g
