-- expect: operand-type, operand-type, argument-mismatch
-- An argument is missing, but nothing tells which value it has.
def longest (xs: []i32) = reduce (\a b -> if a > b then a else b) xs

def piped (xs: []i32) = xs |> reduce (\a b -> if a > b then a else b)

def converted (x: i32): f64 = i32.f64 x
