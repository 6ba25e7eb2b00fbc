-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Names that are bound or changed as elsewhere, without a change that is certain.
def assigned (x: i32) =
  y = x + 3

def updated (xs: []f64) =
  xs[0] = 1

def var_bound (x: i32) = var y = 3

def later (x: i32) = y + 1 where y = x

def h :: i32 -> i32
