-- User-defined operators of many characters.
-- ==
-- input { 7 3 } output { 10 4 21 -4 true }

def (+!) (x: i32) (y: i32) = x + y
def (-|-) (x: i32) (y: i32) = x - y
def (*.*) (x: i32) (y: i32) = x * y
def (^^) (x: i32) (y: i32) = y - x
def (==>) (p: bool) (q: bool) = !p || q
def main (x: i32) (y: i32): (i32, i32, i32, i32, bool) =
  (x +! y, x -|- y, x *.* y, x ^^ y, (x < y) ==> (y < 0))
