-- expect: defaulted-type
-- Only what others can see is worth a warning: the type of the result, but not that of the counter or the comparison.
def main = loop x = 0 for _i < 10 do if 1 == 2 then x else 2 * x
