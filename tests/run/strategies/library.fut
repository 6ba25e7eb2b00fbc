-- The functions of the library `strategy` that every target has.
-- ==
-- entry: cut
-- input { [1, 2, 3, 4, 5, 6, 7, 8] }
-- output { [3, 7, 11, 15] [1, 2, 3, 4, 5, 6, 7, 8] [[1, 2, 5, 6], [3, 4, 7, 8]] [10, 26] }

-- ==
-- entry: windows
-- input { [1, 2, 3, 4] } output { [4, 6, 9, 11] [3, 6, 9, 7] [3, 7] }
-- input { [5] } output { [15] [5] empty([0]i32) }

-- ==
-- entry: in_order
-- input { [3, 1, 2] } output { [6, 2, 4] -6 [3, 1, 2] }
-- input { empty([0]i32) } output { empty([0]i32) 0 empty([0]i32) }

module s = import "strategy"

entry cut [n] (xs: [n]i32) =
  ( map i32.sum (s.split 2 xs)
  , s.join (s.split 4 xs)
  , flatten (map (map flatten) (s.tile_2d 2 2 (s.split 4 xs)))
  , map i32.sum (s.as_vectors 4 (s.as_scalars (s.as_vectors 2 xs)))
  )

entry windows [n] (xs: [n]i32) =
  ( map i32.sum (s.slide 3 1 (s.pad_clamp 1 1 xs))
  , map i32.sum (s.slide 3 1 (s.pad_const 1 1 0 xs))
  , map i32.sum (s.slide 2 2 xs)
  )

entry in_order [n] (xs: [n]i32) =
  (s.map_seq (* 2) xs, s.reduce_seq (-) 0 xs, s.to_global xs)
