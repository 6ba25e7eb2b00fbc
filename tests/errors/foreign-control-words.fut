-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, reserved-name, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Statements of other languages.
def each (n: i64) =
  for i in range(n):
    i

def repeat (n: i64) =
  while n > 0:
    n - 1

def braces (x: i32) = if x > 1 { 1 } else { 2 }

def colons (x: i32) =
  if x > 1:
    1
  else:
    2

def block (x: i32) = { x + 1 }

def switched (x: i32) = switch x { case 0: 1 }

def asserted (x: i32) = assert x > 0

def has (x: i32) (xs: []i32) = x in xs

def elements (xs: []i32) = let [a, b] = xs in a + b

def body (x: i32): i32 {
  x + 1
}

def guarded (x: i32)
  | x > 1 = 2
  | otherwise = 3
