-- expect: type-mismatch
-- The annotation does not fit the value.
def main (xs: []i64): i64 =
  let n: i32 = length xs
  in i64.i32 n
