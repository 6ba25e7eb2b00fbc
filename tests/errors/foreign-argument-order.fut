-- expect: argument-mismatch, operand-type, argument-mismatch, argument-mismatch, argument-mismatch, argument-mismatch, argument-mismatch, operand-type, argument-mismatch, operand-type, operand-type, operand-type, function-instance, argument-mismatch, argument-mismatch, argument-mismatch, argument-mismatch
-- Arguments in another order, left out, or without their parentheses.
def neutral_first (xs: []i32) = reduce 0 (+) xs

def neutral_last (xs: []i32) = reduce (+) xs 0

def array_first (xs: []i32) = reduce xs (+) 0

def map_last (xs: []i32) = map xs (+1)

def filter_last (xs: []i32) = filter xs (> 1)

def size_last (x: i32) (n: i64) = replicate x n

def scale (k: f64) (xs: []f64) = map (* k) xs

def scaled (xs: []f64) = scale xs 2

def no_neutral (xs: []i32) = reduce (+) xs

def no_largest (xs: []i32) = reduce i32.max xs

def piped (xs: []i32): i32 = xs |> reduce (+)

def pipeline (xs: []i32): i32 = xs |> map (+1) |> reduce (+) |> (+1)

def backwards (xs: []i32): i32 = reduce (+) <| xs

def two_arrays [n] (xs: [n]i32) (ys: [n]i32) = map (+) xs ys

def a_pair [n] (xs: [n]i32) (ys: [n]i32) = map2 (\(x, y) -> x + y) xs ys

def call (xs: []f64) = map f64.abs filter (> 0) xs

def add (x: i32) (y: i32) = x + y

def in_tuple (x: i32) = add(x, 1)

def pair (x: i32, y: i32) = x + y

def no_tuple (x: i32) = pair x 1
