-- The greatest sum of a segment, by one reduction over quadruples.
-- ==
-- input { [1, -2, 3, 4, -1, 5, -10, 6] } output { 11 }
-- input { [-1, -2] } output { 0 }
-- input { empty([0]i32) } output { 0 }

def op (m1, p1, s1, t1) (m2, p2, s2, t2): (i32, i32, i32, i32) =
  ( i32.max (i32.max m1 m2) (s1 + p2)
  , i32.max p1 (t1 + p2)
  , i32.max s2 (s1 + t2)
  , t1 + t2
  )
def main (xs: []i32): i32 =
  (reduce op (0, 0, 0, 0)
          (map (\x -> let y = i32.max x 0 in (y, y, y, x)) xs)).0
