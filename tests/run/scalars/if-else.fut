-- Nested conditionals.
-- ==
-- input { -5 } output { -1 }
-- input { 0 } output { 0 }
-- input { 9 } output { 1 }
-- input { 10 } output { 2 }

def main (x: i32): i32 =
  if x < 0 then -1
  else if x == 0 then 0
  else if x < 10 then 1
  else 2
