-- expect: unknown-module
-- There is no such module.
open math

def main (x: f64): f64 = sqrt x
