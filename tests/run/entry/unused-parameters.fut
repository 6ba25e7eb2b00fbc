-- Parameters that are not used, also by wildcard.
-- ==
-- input { 1 [1, 2] true } output { 1 }
-- input { 2 empty([0]i32) false } output { 2 }

def main (x: i32) (_: []i32) (_unused: bool): i32 = x
