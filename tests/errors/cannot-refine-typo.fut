-- expect: cannot-refine
-- The type is misspelt.
module type container = {
  type element
}

module type numbers = container with elemnt = i64
