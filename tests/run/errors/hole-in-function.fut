-- A hole in a function of higher order that is reached.
-- ==
-- input { 2 } output { 4 }
-- input { 0 } error: hole

def apply (f: i32 -> i32) (x: i32): i32 = f x
def main (x: i32): i32 = apply (\y -> if y > 0 then y * 2 else ???) x
