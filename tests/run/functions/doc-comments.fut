-- Documentation comments before declarations are allowed and do nothing.
-- ==
-- input { 2 } output { 3 }

-- | The number one.
-- It has two lines.
def one: i32 = 1

-- | A type.
type t = i32

-- | Add one.
def main (x: t): t = x + one
