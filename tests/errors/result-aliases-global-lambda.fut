-- expect: result-aliases-global
def table : [3]i64 = [1, 2, 3]

entry main (n: i64) : [n][3]i64 = map (\_ -> table) (iota n)
