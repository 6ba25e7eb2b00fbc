-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Names that are bound as elsewhere.
def walrus (x: i32) = let y := x + 1 in y

def arrow (x: i32) = let y <- x + 1 in y

def added (x: i32) = let x += 1 in x

def pair (p: (i32, i32)) = let a, b = p in a + b

type point = {x: f64, y: f64}

def moved (p: point) = p with {x = 2, y = 3}

def piped (p: point) = {p | x = 2}

def colon: point = {x: 1, y = 2}

def python(x: i32):
  x + 1

def arrows(x: i32) -> i32:
  x + 1

def rust(x: i32) -> i32 = x + 1

def c (int x) = x

def no_in (x: i32) =
  let y = x + 3
  (y, y)

def no_let (x: i32) =
  let y = x + 3
  z = y * 2
  in z

def incremented (x: i32) = x++

def haskell (x: i32) = x :: i32

def lua (x: i32) = x ~= 1

def fraction (x: f64) = x + .5

def whole (x: f64) = x + 1.

def inverted (x: i32) = ~x

type colours = Red | Green
