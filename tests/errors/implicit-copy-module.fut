-- expect: implicit-copy
-- The module type says that all of a result is new; of the function, only the first part is.
module type pairs = { val both [n] : [n]i64 -> *([n]i64, [n]i64) }

module m: pairs = { def both [n] (xs: [n]i64): (*[n]i64, [n]i64) = (map (+ 1) xs, xs) }

entry main [n] (xs: [n]i64): ([n]i64, [n]i64) = m.both xs
