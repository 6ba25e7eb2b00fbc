-- Reductions that respect the order, of sizes around those of tiles and lanes on a device: products of matrices, the last and
-- the first of some numbers.
-- ==
-- input { 0i64 } output { 1i64 0i64 0i64 1i64 0i32 0i32 }
-- input { 1i64 } output { 1i64 0i64 1i64 1i64 0i32 0i32 }
-- input { 15i64 } output { 2i64 6i64 2i64 6i64 3i32 3i32 }
-- input { 16i64 } output { 8i64 0i64 8i64 0i64 3i32 3i32 }
-- input { 17i64 } output { 8i64 8i64 8i64 8i64 -3i32 3i32 }
-- input { 47i64 } output { 1152i64 1152i64 1152i64 1152i64 3i32 3i32 }
-- input { 48i64 } output { 1152i64 2304i64 1152i64 2304i64 3i32 3i32 }
-- input { 49i64 } output { 1152i64 2304i64 1152i64 2304i64 3i32 3i32 }
-- input { 767i64 } output { 0i64 0i64 0i64 0i64 3i32 3i32 }
-- input { 768i64 } output { 0i64 0i64 0i64 0i64 3i32 3i32 }
-- input { 769i64 } output { 0i64 0i64 0i64 0i64 3i32 3i32 }
-- input { 5000i64 } output { 0i64 0i64 0i64 0i64 3i32 3i32 }
-- input { 70000i64 } output { 0i64 0i64 0i64 0i64 3i32 3i32 }

def matrix (i: i64): (i64, i64, i64, i64) =
  (1, i % 3, i64.bool (i % 5 == 0), 1 - i % 2)
def times (a: (i64, i64, i64, i64)) (b: (i64, i64, i64, i64))
          : (i64, i64, i64, i64) =
  (a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2,
   a.2 * b.1 + a.3 * b.3)

def main (n: i64): (i64, i64, i64, i64, i32, i32) =
  let (a, b, c, d) = reduce times (1, 0, 0, 1) (tabulate n matrix)
  let ys =
    tabulate n (\i ->
                  let y = i32.i64 ((i * 5 + 2) % 9 - 4)
                  in if y % 3 == 0 then y else 0)
  let last = reduce (\x y -> if y != 0 then y else x) 0 ys
  let first = reduce (\x y -> if x != 0 then x else y) 0 ys
  in (a, b, c, d, last, first)
