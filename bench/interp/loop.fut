-- A loop of n steps over an array of m elements: each step changes every element.

entry main (n: i64) (m: i64): i32 =
  let step xs i = map (\x -> x * 3 + i) xs
  in i32.sum (loop xs = map i32.i64 (iota m) for i < n do step xs (i32.i64 i))
