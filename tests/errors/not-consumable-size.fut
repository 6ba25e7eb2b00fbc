-- expect: not-consumable
def first (xs: *[]i64) : i64 = xs[0]

def check [n] (sizes: *[n]i64) (values: [first sizes]i64) : i64 = values[0] + sizes[0]
