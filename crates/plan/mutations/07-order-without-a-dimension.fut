-- target: c
-- Both arrays have their columns side by side.
def main (xss: [][]i32): [][]i32 = transpose (map (map (+ 1)) (transpose xss))
