-- expect: unknown-name, unknown-name, unknown-name, unknown-field, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, type-mismatch, unknown-type, unknown-name, unknown-name, unknown-name
-- Words of other languages for which nothing certain can be put.
def sorted (xs: []f64) = sort xs

def shown (x: i32) = print x

def nothing (x: i32) = if x > 1 then x else None

def dimensions (xs: [][]i32) = xs.shape[0]

def element (xs: []i32) = xs !! 1

def changed (x: i32) = x += 1

def shaped (xs: []f64) = reshape xs 2 2

def listed (n: i64) = [i * i | i <- iota n]

def anonymous (xs: []i32) = map (fn x => x + 1) xs

def barred (xs: []i32) = map (|x| x + 1) xs

def mutable (x: i32) = let mut y = 3 in x + y

def typed (x: i32) = let int y = x in y

type colour = #red | #green

def red: colour = Red

def divided (x: i32) = x // a comment behind it

def first (p: (i32, i32)) = p[0]

def consed (xs: []i32) = 1 : xs

def rest (x: i32) = x `mod` 2

def largest (xs: []f64) = xs |> max

def unknown_library (x: f64) = np.frobnicate x
