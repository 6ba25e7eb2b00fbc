-- expect: unexpected-token
-- Comments of C.
// The next number.
def next (x: i32) = x + 1
