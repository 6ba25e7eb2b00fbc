-- The function not of the prelude, and logical negation, are the same.
-- ==
-- input { [true, false] } output { [false, true] [false, true] }
-- input { empty([0]bool) } output { empty([0]bool) empty([0]bool) }

def main [n] (bs: [n]bool): ([n]bool, [n]bool) = (map not bs, map (\b -> !b) bs)
