-- A typed hole that is not reached does no harm.
-- ==
-- input { 1 } output { 1 }
-- input { 0 } error: hole

def main (x: i32): i32 = if x > 0 then x else ???
