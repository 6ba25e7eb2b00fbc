-- The empty tuple as a result, alone, beside others and in an array.
-- ==
-- input { 3 }
-- input { -3 }

def main (x: i32): (i32, (), [2](), {u: {}}) = (x, (), [(), ()], {u = {}})
