-- target: c
-- Rows of the result are columns of the argument.
def main (xss: [][]i32): [][]i32 = map (map (+ 1)) (transpose xss)
