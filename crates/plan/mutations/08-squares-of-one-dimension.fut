-- target: c
-- One array goes along rows and one along columns.
def main (xss: [][]i32): [][]i32 = map (map (+ 1)) (transpose xss)
