-- A size that comes into being in the definition of a constant is read off the constant.
-- ==
-- input {} output { [100, 0, 1, 2] 4i64 8i64 }

def numbers = concat [100] (0..<3i32)

def main = (numbers, length numbers, length (concat numbers numbers))
