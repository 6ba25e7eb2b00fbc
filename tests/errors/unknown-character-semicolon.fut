-- expect: unknown-character
-- A statement from another language.
def main (x: i64): i64 =
  let y = x + 1;
  in y
