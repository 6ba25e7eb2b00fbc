-- Products of matrices, which do not commute and take much room.
-- ==
-- input { 0i64 } output { 0i64 }
-- input { 1i64 } output { 1i64 }
-- input { 15i64 } output { 1i64 }
-- input { 16i64 } output { 1i64 }
-- input { 17i64 } output { 1i64 }
-- input { 47i64 } output { 1i64 }
-- input { 48i64 } output { 1i64 }
-- input { 49i64 } output { 1i64 }
-- input { 767i64 } output { 1i64 }
-- input { 768i64 } output { 1i64 }
-- input { 769i64 } output { 1i64 }
-- input { 5000i64 } output { 1i64 }

def matrix (i: i64): (i64, i64, i64, i64) =
  (1, i % 3, i64.bool (i % 5 == 0), 1 - i % 2)
def times (a: (i64, i64, i64, i64)) (b: (i64, i64, i64, i64))
          : (i64, i64, i64, i64) =
  (a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2,
   a.2 * b.1 + a.3 * b.3)

def main (n: i64): i64 =
  let ms = scan times (1, 0, 0, 1) (tabulate n matrix)
  in i64.sum (map2 (\(a, b, c, d) i -> (a ^ b ^ c ^ d) * (i % 1009 + 1)) ms
                   (iota n))
