-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Declarations of other languages behind ones of ours.
def f (x: i32) = x + 1

fun g x = x + 1i32

def one = 1i32

const two = 2i32

def three = 3i32

four = 4i32

def five = 5i32

h x = x + 1i32
