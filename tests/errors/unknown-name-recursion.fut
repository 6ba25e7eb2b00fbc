-- expect: unknown-name
-- Functions cannot call themselves.
def factorial (n: i64): i64 =
  if n <= 1 then 1 else n * factorial (n - 1)
