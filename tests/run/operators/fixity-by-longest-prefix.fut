-- The longest built-in prefix decides the fixity: >>= is like >>, not like >.
-- ==
-- input { 16 1 2 } output { 4 true 18 }

def (x: i32) >>= (y: i32) = x / y / y
def (x: i32) *** (y: i32) = x * 10 + y
def (x: i32) <<< (y: i32) = x + y + 1
def main (x: i32) (y: i32) (z: i32): (i32, bool, i32) =
  (x >>= y + 1, x >>= z > y + 2, x <<< y * 1)
