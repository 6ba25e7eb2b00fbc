-- Attributes on declarations, also unknown and compound ones.
-- ==
-- input { 3 } output { 9 4 7 }

#[noinline]
def square (x: i32) = x * x
#[inline]
def inc (x: i32) = x + 1
#[unknown_attribute(nested(1, two), 3)]
def plus4 (x: i32) = x + 4
def main (x: i32): (i32, i32, i32) = (square x, inc x, plus4 x)
