-- Functions of a parametric module may yield arrays of sizes that only they know: each call has sizes of its own.
-- ==
-- entry: lengths
-- input { [1, 5, 2, 8] } output { 2i64 3i64 7i64 2i64 }
-- input { empty([0]i32) } output { 0i64 1i64 3i64 0i64 }

-- ==
-- entry: halves
-- input { [1, 5, 2, 8] } output { [5, 8] [1, 2] [5, 8, 1, 2] }

-- ==
-- entry: twice
-- input { [1, 5, 2, 8] } output { [2i64, 1i64] }

-- ==
-- entry: in_map
-- input { [1, 5, 2] } output { [2i64, 6i64, 3i64] }

module pick (P: { val least: i32 val more: i64 }) = {
  def large (xs: []i32): []i32 = filter (>= P.least) xs
  def longer [n] (xs: [n]i32): []i32 =
    loop a = xs for _i < P.more do a ++ [P.least]
  def grown [n] (xs: [n]i32) =
    (loop (a: []i32, i) = (xs, 0i64) while i < P.more do
       (a ++ [P.least, P.least], i + 1)).0
  def both (xs: []i32): ([]i32, []i32) =
    (filter (>= P.least) xs, filter (< P.least) xs)
}

-- The same behind a signature, and through a second parameter.
module type picker = {
  val large [n]: [n]i32 -> []i32
  val count: i32 -> ?[k].[k]i64
}
module counted (P: { val least: i32 }) (Q: { val add: i64 }): picker = {
  module inner = pick { def least = P.least def more = Q.add }
  def large = inner.large
  def count (n: i32) = iota (i64.i32 n + Q.add)
}

module three = pick { def least = 3i32 def more = 1i64 }
module five = pick { def least = 5i32 def more = 3i64 }
module seven = counted { def least = 7i32 }
module seven_one = seven { def add = 1i64 }

entry lengths [n] (xs: [n]i32) =
  ( length (three.large xs)
  , if n == 0 then 1 else length (three.longer xs) - 2
  , if n == 0 then 3 else length (five.longer xs)
  , length (five.large xs))

entry halves (xs: []i32) =
  let (large, small) = three.both xs
  in (large, small, large ++ small)

entry twice (xs: []i32) =
  map (\(m: bool) ->
         if m then length (three.large xs) else length (seven_one.large xs))
      [true, false]

entry in_map (xs: []i32) =
  map (\x ->
         let [k] (ys: [k]i64) = seven_one.count x
         in if k == 0 then 0 else last ys + 1)
      xs
