-- expect: unexpected-token
-- A declaration of another language at the beginning.
from numpy import sum

def f (x: i32) = x
