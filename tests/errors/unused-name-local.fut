-- expect: unused-name, unused-name, unused-name
-- Names that nothing uses.
def main (xs: []i64): i64 =
  let n = length xs
  let helper (x: i64) = x + 1
  in loop sum = 0 for i < 10i64 do sum + 2
