-- expect: import-not-found
-- There is no such file.
import "lib/statistic"

def main (xs: []f64): f64 = mean xs
