-- expect: size-escapes, size-mismatch, size-mismatch, size-mismatch, type-mismatch, size-mismatch
-- Sizes that are equal, where only a name or a coercion helps.
def zeros (xs: []i32) = zip xs (replicate (length xs) 0i32)

def shifted [n] (xs: [n]i32) (k: i64): [n]i32 = loop ys = xs for _i < k do ys[1:] ++ [1]

def stated [n] (xs: [n]i32) (k: i64): [n]i32 = loop (ys: [n]i32) = xs for _i < k do ys[1:] ++ [1]

def same_name [n] (xs: [n]i32) = let zipped [n] (ys: [n]i32) = zip xs ys in zipped

def unnamed (m: [][]i32): i32 = m

def results (xs: []i32) (ys: []i32) = zip (filter (> 0) xs) (filter (> 0) ys)
