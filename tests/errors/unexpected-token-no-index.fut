-- expect: unexpected-token
-- Brackets without an index, of an array of any rank.
def all (xs: []i32) = xs[]
