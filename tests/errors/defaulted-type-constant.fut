-- expect: defaulted-type
-- Which numbers are these?
def limits = (0, 100i64)
