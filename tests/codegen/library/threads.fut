-- A library for several cores: sums of floats and an index that may be wrong, of as many iterations as the caller wants.
def numbers (n: i64): [n]f32 = map (\i -> f32.i64 ((i * 7919 + 13) % 10007) / 97) (iota n)

entry sum (n: i64): f32 = f32.sum (numbers n)
entry all [m] (n: i64) (is: [m]i64) (xs: []i64): i64 = i64.sum (map (\i -> xs[is[i % m]]) (iota n))
