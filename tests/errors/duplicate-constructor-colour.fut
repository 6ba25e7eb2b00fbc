-- expect: duplicate-constructor
-- The same constructor twice.
type colour = #red | #green | #red
