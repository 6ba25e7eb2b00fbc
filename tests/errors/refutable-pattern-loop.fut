-- expect: refutable-pattern
-- A loop that only takes some elements.
def count (xs: [](bool, i64)): i64 =
  loop sum = 0 for (true, x) in xs do sum + x
