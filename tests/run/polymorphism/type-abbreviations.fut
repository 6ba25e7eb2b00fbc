-- Type abbreviations with size and type parameters, partly anonymous.
-- ==
-- input { [1, 2] [3.0, 4.0] } output { [1, 2] [3.0, 4.0] 2i64 3 }

type pair 'a 'b = (a, b)
type vec [n] 'a = [n]a
type two_vecs [n] = pair (vec [n] i32) (vec [n] f64)
type ints [n] = vec [n] i32
def size [n] (_: two_vecs [n]): i64 = n
def total (xs: ints []): i32 = i32.sum xs
def main [n] (xs: [n]i32) (ys: [n]f64): (vec [n] i32, []f64, i64, i32) =
  let t: two_vecs [n] = (xs, ys)
  in (t.0, t.1, size t, total t.0)
