-- What is local is no entry point, whatever its name; it may be polymorphic.
-- ==
-- entry: twice
-- input { 4 }
-- output { 8 }
local def main xs = map (\x -> (x, x)) xs

entry twice (x: i32) = let (a, b) = (main [x])[0] in a + b
