-- expect: existential-size
-- No array has the size.
type~ sized = ?[n].i64
