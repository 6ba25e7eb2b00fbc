-- Comments anywhere, also at the end of lines and between the parts of an expression.
-- ==
-- input { 1 } output { 6 }

-- A comment before a definition.
def main -- after a name
  (x: i32) -- after a parameter
  : i32 =
  -- before the body
  let y = x + 2 -- after a binding
  -- between bindings
  in y -- in the middle
     * 2 -- of a product
