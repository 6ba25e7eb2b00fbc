-- expect: infinite-type
-- A function is applied to itself.
def twice f = f f
