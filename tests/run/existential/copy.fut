-- What has a size of its own inside is copied like anything else: the copy shares nothing with the original.
-- ==
-- entry: original
-- input { 4i64 } output { [0i64, 1, 2, 3] [100i64, 1, 2, 3, 100, 1, 2] }
-- input { 1i64 } output { [0i64] [100i64] }

-- ==
-- entry: chosen
-- input { true 3i64 } output { 3i64 5i64 }
-- input { false 3i64 } output { 3i64 7i64 }

module rows: {
  type~ t [n]
  val make: (n: i64) -> (k: i64) -> t [n]
  val changed [n]: *t [n] -> [n]i64
  val first [n]: t [n] -> [n]i64
  val other [n]: t [n] -> i64
} = {
  type~ t [n] = ?[k].([n]i64, [k]i32)
  def make (n: i64) (k: i64): t [n] = (iota n, replicate k 1)
  def changed [n] (x: *t [n]): [n]i64 = x.0 with [0] = 100
  def first [n] (x: t [n]): [n]i64 = x.0
  def other [n] (x: t [n]): i64 = length x.1
}

entry original (n: i64) =
  let a = rows.make n 2
  let b = rows.changed (copy a)
  in (rows.first a, b ++ take (n - 1) b)

entry chosen (b: bool) (n: i64) =
  let a = if b then rows.make n 5 else rows.make n 7
  let c = copy a
  in (length (rows.first c), rows.other c)
