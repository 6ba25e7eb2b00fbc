-- expect: operand-type
-- Truth values cannot be added.
def count (xs: []bool): i64 = i64.bool (reduce (+) false xs)
