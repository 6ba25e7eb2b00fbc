-- expect: operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, operand-type
-- Operators and negative numbers as arguments.
def sum (xs: []i32) = reduce + 0 xs

def products (xs: []i32) = scan * 1 xs

def sums [n] (xs: [n]i32) (ys: [n]i32) = map2 + xs ys

def doubled (xs: []i32) = map * 2 xs

def f (x: i32) = x + 1

def before (_: i32) = f -1

def larger (x: f64) = f64.max x -1.0

def largest (x: i32) = i32.max -1 x

def less (xs: []i64) = map (-1) xs
