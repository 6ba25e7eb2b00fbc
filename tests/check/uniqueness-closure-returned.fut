-- expect: none
def make_adder [n] (xs: [n]i64): i64 -> i64 = \i -> xs[i % n] + 1

entry main (xs: []i64): i64 = make_adder xs 3
