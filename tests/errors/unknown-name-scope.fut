-- expect: unknown-name
-- The name is bound in another branch.
def main (x: i64): i64 =
  (if x > 0 then let y = x + 1 in y else 0) + y
