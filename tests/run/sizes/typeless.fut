-- Sizes made of constructors and of other expressions whose types the size does not tell.

type switch [n] = #on ([n]u32) | #off

-- ==
-- entry: constructors
-- input { [1u32, 3u32, 5u32, 7u32] } output { 3i64 }
-- input { empty([0]u32) } output { 0i64 }
entry constructors (xs: []u32): i64 =
  let [k] (ys: [k]u32) = filter (> 2) xs
  in length (replicate (length (replicate k (#on ys : switch [k])) % 5) 1i32)

def sized (n: i64) (x: i32): [n]i32 = replicate n x

-- The same text twice, with an array of another size behind the name.
-- ==
-- entry: twice
-- input { [1u32, 3u32, 5u32, 7u32] } output { 3i64 1i64 4i64 }
entry twice (xs: []u32): (i64, i64, i64) =
  let count [n] (ys: [n]u32) =
    length (sized (length (replicate n (#on ys : switch [n]))) 1)
  let a = count (filter (> 2) xs)
  let b = count (filter (> 5) xs)
  in (a, b, a + b)

-- In a function that is passed, in a loop whose variables change, and in a branch.
-- ==
-- entry: places
-- input { [1u32, 3u32, 5u32, 7u32] } output { [3i64, 3i64] 10i64 2i64 }
entry places (xs: []u32): ([]i64, i64, i64) =
  let [k] (ys: [k]u32) = filter (> 2) xs
  let a =
    map (\i ->
           length (sized (i + length (replicate k (#on ys : switch [k])) - i)
                         1))
        [1, 2]
  let b =
    loop s = 0 for i < 4 do
      s + length (sized (length (replicate (i + 1) (#off : switch [k]))) 2)
  let c =
    if k > 2
    then length (sized (length (replicate 2 (#on ys : switch [k]))) 3)
    else length (sized (length (replicate 5 (#off : switch [2]))) 4)
  in (a, b, c)

def of_record (p: {a: i64, b: bool}): [p.a]i32 = replicate p.a (i32.bool p.b)
def of_pair (p: (i64, i64)): [p.0 + p.1]i32 = replicate (p.0 + p.1) 7

-- The argument is not a number.
-- ==
-- entry: records
-- input { [1u32, 3u32, 5u32, 7u32] } output { 3i64 5i64 }
entry records (xs: []u32): (i64, i64) =
  let [k] (ys: [k]u32) = filter (> 2) xs
  let a = of_record {a = length (replicate k (#on ys : switch [k])), b = true}
  let b = of_pair (length (replicate k (#on ys : switch [k])), 2)
  in (length a, length b)

module counted (P: { val by: i64 }) = {
  def grown [n] (ys: [n]u32) =
    sized (length (replicate (n + P.by) (#on ys : switch [n]))) 1
}
module by_one = counted { def by = 1i64 }
module by_two = counted { def by = 2i64 }

-- Two instances of one module.
-- ==
-- entry: instances
-- input { [1u32, 3u32, 5u32, 7u32] } output { 5i64 6i64 5i64 }
entry instances (xs: []u32): (i64, i64, i64) =
  (length (by_one.grown xs), length (by_two.grown xs), length (by_one.grown xs))

def apply 'a 'b (f: a -> b) (x: a): b = f x
def grown [n] (ys: [n]u32) =
  sized (length (replicate (n + 1) (#on ys : switch [n]))) 1
def level (s: #low | #high i64): i64 = match s case #low -> 2 case #high n -> n
def steps (s: #low | #high i64): [level s]i32 = replicate (level s) 1
def section [n] (ys: [n]i64) = sized (apply (+ 2) (apply (n -) ys[0])) 1
def nothing (n: i64) = sized (length (replicate n ([] : [0]i32))) 1
def constant = sized (length (replicate 3 (#on [1] : switch [1]))) 7

-- What comes out of a function has a size in which there are its arguments.
-- ==
-- entry: results
-- input { [1u32, 3u32, 5u32] } output { 4i64 3i64 3i64 }
entry results (xs: []u32): (i64, i64, i64) =
  let c = grown xs
  let f [n] (ys: [n]u32) = length (grown ys)
  in (length c, f (filter (> 2) xs), length (grown (filter (> 2) xs)))

-- ==
-- entry: same
-- input { 4i64 } output { 2i64 4i64 [2i32, 2i32, 2i32, 2i32] }
entry same (n: i64): (i64, i64, []i32) =
  (length (steps #low), length (steps (#high n)),
   map2 (+) (steps (#high n)) (steps (#high n)))

-- ==
-- entry: others
-- input { [1i64, 2i64, 9i64] } output { 4i64 3i64 3i64 21i64 }
entry others (ys: []i64): (i64, i64, i64, i64) =
  (length (section ys), length (nothing (length ys)), length constant,
   reduce (+) 0 (map i64.i32 constant))

-- ==
-- entry: rows
-- input { [[1u32, 3u32], [5u32, 9u32]] } output { [5i64, 6i64] }
entry rows (xs: [][]u32): []i64 =
  map (\r -> length (grown r) + length (grown (filter (> 2) r))) xs

-- ==
-- entry: loops
-- input { [1u32, 2u32, 7u32] } output { 10i64 }
entry loops (xs: []u32): i64 =
  let (_, n) =
    loop (ys, n) = (xs, 0) while length ys > 0 do
      (filter (> u32.i64 n) ys, n + length (grown ys))
  in n

-- ==
-- entry: branches
-- input { [1u32, 3u32, 5u32] true } output { 15i64 }
-- input { [1u32, 3u32] false } output { 11i64 }
entry branches (xs: []u32) (c: bool): i64 =
  let ys = if c then grown xs else grown (filter (> 2) xs)
  let p = {here = grown xs, there = steps (#high 3)}
  in length ys + length p.here + length p.there
     + length (map2 (+) p.here (grown xs))
