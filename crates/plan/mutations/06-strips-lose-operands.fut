-- target: c
-- Sums of columns of seven elements, four of them at once.
def main [n][m] (xss: [n][m]i64): [m]i64 = map i64.sum (transpose xss)
