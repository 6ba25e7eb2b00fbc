-- expect: entry-polymorphic
-- An entry point for all types.
entry flip 't [n] (xs: [n]t): [n]t = reverse xs
