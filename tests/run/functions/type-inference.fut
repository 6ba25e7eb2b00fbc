-- Functions without annotations, whose types follow from their use.
-- ==
-- input { 3 [1, 2, 3] } output { 9 6 [3, 2, 1] }

def square x = x * x : i32
def total xs = reduce (+) 0i32 xs
def backwards xs = xs[::-1]
def main (x: i32) (xs: []i32) = (square x, total xs, backwards xs)
