-- A coercion to a size that is still to be inferred says nothing about the size of what is coerced.
-- ==
-- entry: same
-- input { [1, 2] [3, 4, 5] } output { [4, 6] }

-- ==
-- entry: differ
-- input { [1, 2] [3, 4, 5] } error: shape|size

-- ==
-- entry: hidden
-- input { [1, 2] [3, 4] } output { [4, 6] }

def add (xs: []i32) (ys: []i32) =
  let [n] (xs': [n]i32) = xs
  let ys' = ys :> [n]i32
  in map2 (+) xs' ys'

entry same (xs: [2]i32) (ys: [3]i32) = add xs (take 2 ys)
entry differ (xs: [2]i32) (ys: [3]i32) = add xs ys

type~ matrix [n] = ?[k].{size: [0][n](), data: [k]i32}

module m: {
  type~ matrix [n]
  val plus [n]: matrix [n] -> matrix [n] -> matrix [n]
  val of [k]: (n: i64) -> [k]i32 -> matrix [n]
  val data [n]: matrix [n] -> []i32
} = {
  type~ matrix [n] = matrix [n]
  def plus [n] (x: matrix [n]) (y: matrix [n]): matrix [n] =
    let [k] (xs: [k]i32) = x.data
    in x with data = map2 (+) xs (y.data :> [k]i32)
  def of [k] (n: i64) (data: [k]i32): matrix [n] = {size = [], data}
  def data [n] (x: matrix [n]): []i32 = x.data
}

entry hidden (xs: []i32) (ys: []i32) = m.data (m.plus (m.of 5 xs) (m.of 5 ys))
