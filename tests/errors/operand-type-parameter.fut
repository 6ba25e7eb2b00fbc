-- expect: operand-type
-- The parameter promises any type.
def increment 't (x: t): t = x + 1
