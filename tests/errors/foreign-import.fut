-- expect: import-not-found
-- The name of a file with its ending.
import "../../examples/dotprod.fut"

def x = 1i32
