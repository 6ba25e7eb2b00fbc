-- expect: unknown-character
-- Lines that end with a semicolon: one message for all of them.
def f (x: i32) =
  let y = 3;
  let z = 4;
  x + y + z
