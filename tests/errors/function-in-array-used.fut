-- expect: function-in-array
-- The functions in the array are used later, which is no second mistake.
def increase (x: i64): i64 = x + 1
def double (x: i64): i64 = x * 2

def main (x: i64): []i64 =
  let steps = [increase, double]
  in map (\step -> step x) steps
