-- expect: not-a-function, not-a-function, not-a-function, argument-mismatch, operand-type, argument-mismatch, argument-mismatch, operand-type, operand-type, operand-type, unknown-name, unknown-name, not-a-function, not-a-function, unknown-name, unknown-name, unknown-name
-- Conditions as in Python, C and Haskell.
def between (x: i32) = x > 1 and x < 3

def outside (x: i32) = if x < 1 or x > 3 then 1i32 else 2

def above (x: i32) = x > 1

def calls (x: i32) (y: i32) = above x and above y

def small (x: i32) = not x > 1

def small_too (x: f64) = !x > 1

def chained (x: i32) = 0 < x < 10

def equal (x: i32) (y: i32) (z: i32) = x == y == z

def both (x: bool) (y: bool) = x & y

def any (x: bool) (y: bool) = x | y

def one (x: bool) (y: bool) = x ^ y

def yes (x: i32) = if x > 1 then True else False

def odd (x: i32) = x mod 2 == 1

def is_two (x: i32) = x is 2

def differs (x: i32) = x <> 1

def differs_too (x: i32) = x /= 1

def same (x: i32) = x === 2
