-- expect: size-escapes, size-escapes, size-mismatch
-- Sizes that are equal, but not for the checker.
def numbered (xs: []i32) = zip xs (iota (length xs))

def mapped (xs: []i32) = map2 (\x i -> x + i32.i64 i) xs (iota (length xs))

def filtered (n: i64) = let ys = filter (> 1) (iota n) in zip ys (iota (length ys))
