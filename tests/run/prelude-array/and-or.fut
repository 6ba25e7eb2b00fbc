-- and and or of arrays of booleans, also of empty ones.
-- ==
-- input { [true, true] } output { true true }
-- input { [true, false] } output { false true }
-- input { [false] } output { false false }
-- input { empty([0]bool) } output { true false }

def main (bs: []bool): (bool, bool) = (and bs, or bs)
