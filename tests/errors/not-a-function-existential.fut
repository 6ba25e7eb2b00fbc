-- expect: not-a-function
-- What `filter` returns has a size that nobody knows, but it is still no function.

def main (xs: []i32) = filter (> 0) xs xs
