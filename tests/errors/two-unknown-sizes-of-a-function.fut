-- expect: operand-type
-- Each unknown size of a function's result has a name of its own.
def kept (xs: []i32) = (filter (> 0) xs, filter (> 1) (map i64.i32 xs))

entry main (xs: []i32) = kept + 1
