-- A part of what another function returns in the memory it was given is computed and updated in place.
-- ==
-- entry: main
-- input { [1, 2, 3] } output { [2, 3, 3] }

-- ==
-- entry: in_loop
-- input { [1, 2, 3, 4] } output { [6, 5, 4, 4] }

-- ==
-- entry: matrix
-- input { [[1, 2], [3, 4]] } output { [[2, 2], [3, 4]] [[1, 2], [3, 4]] }

#[noinline]
def first_is_one [n] (xs: *[n]i32): *[n]i32 = xs with [0] = 1

entry main [n] (xs: *[n]i32) =
  let ys = first_is_one xs
  in ys with [:2] = map (+ 1) ys[:2]

#[noinline]
def shift [n] (xs: [n]i32): [n]i32 =
  loop ys = copy xs for i < n - 2 do ys with [i] = 3

#[noinline]
def shifted [n] (xs: [n]i32) =
  let ys = shift (copy xs)
  in loop ys = copy ys for j in 0..<n do ys with [:j] = map (+ 1) ys[:j]

entry in_loop [n] (xs: [n]i32) =
  map2 (\x y -> if x > 2 then 4 else y) xs (shifted xs)

#[noinline]
def corner [n] (xss: *[n][n]i32): *[n][n]i32 = xss with [0, 0] = 1

entry matrix [n] (xss: [n][n]i32) =
  let yss = corner (copy xss)
  in (yss with [:1, :1] = map (map (+ 1)) yss[:1, :1], xss)
