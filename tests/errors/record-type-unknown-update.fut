-- expect: record-type-unknown
-- The record's type comes too late.
def move = \p -> p with x = 1.0
