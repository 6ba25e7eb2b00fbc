-- A tuple produced by a script becomes several arguments.
-- ==
-- entry: add
-- script input { (1i32, [1i32, 2i32, 3i32]) } output { [2, 3, 4] }
-- script input { pair 5i32 } output { [10] }

entry pair (x: i32): (i32, [1]i32) = (x, [x])
entry add [n] (x: i32) (ys: [n]i32): [n]i32 = map (+ x) ys
