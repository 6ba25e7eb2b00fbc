-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Declarations of other languages for which nothing certain can be put.
def f (x: i32) = x + 1

struct point { x: f64 }

def one = 1i32

data shape = circle | square

def two = 2i32

int g(int x) { x }

def three = 3i32

fn g(x: i32) -> i32 { x }

def four = 4i32

/* the next one */
def five = 5i32
