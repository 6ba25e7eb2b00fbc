-- A constant that is a function takes arguments of any size at each use, whether its type is written or not.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6]] [[7, 8]] } output { [1, 3, 5] [7] }

-- ==
-- entry: totals
-- input { [1, 2, 3] [4, 5] } output { 15 [1, 2, 3, 4, 5] [4, 5, 1, 2, 3] }

-- ==
-- entry: matrices
-- input { [[1, 2, 3], [4, 5, 6]] [[1, 2], [3, 4]] } output { [6, 15] [3, 7] [6, 15] [2, 12] }

-- ==
-- entry: flat
-- input { [1, 2, 3] [[1, 2, 3, 4], [5, 6, 7, 8]] }
-- output { [1, 2, 3] [1, 2, 3, 4, 5, 6, 7, 8] [[2, 4, 6, 8], [10, 12, 14, 16]] }

-- ==
-- entry: of_module
-- input { [1, 2, 3] } output { [3, 2, 1] [2, 1] }

-- ==
-- entry: filtered
-- input { [1, -2, 3] [-1] } output { [1, 3] empty([0]i32) }

def first: [][2]i32 -> []i32 = map (\r -> r[0])
entry rows (x: [3][2]i32) (y: [][2]i32) = (first x, first y)

def total: []i32 -> i32 = reduce (+) 0
def both: []i32 -> []i32 -> []i32 = \xs ys -> xs ++ ys
entry totals (x: [3]i32) (y: []i32) = (total x + total y, both x y, both y x)

def sums: [][]i32 -> []i32 = map (reduce (+) 0)
def apply: ([]i32 -> i32) -> [][]i32 -> []i32 = \f -> map f
entry matrices (x: [2][3]i32) (y: [][]i32) =
  (sums x, sums y, apply i32.sum x, apply i32.product y)

def twice [n]: [n]i32 -> [n]i32 = map (* 2)
def flatten': [][]i32 -> []i32 = flatten
entry flat (x: [3]i32) (y: [2][4]i32) =
  (map (/ 2) (twice x), flatten' y, map twice y)

module m: { val back [n]: [n]i32 -> [n]i32 val back' [n]: [n]i32 -> []i32 } = {
  def back = \xs -> reverse xs
  def back': []i32 -> []i32 = reverse
}
entry of_module (xs: []i32) = (m.back xs, m.back' (take 2 xs))

def positive: []i32 -> []i32 = filter (> 0)
entry filtered (xs: [3]i32) (ys: []i32) = (positive xs, positive ys)
