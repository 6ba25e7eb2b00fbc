-- expect: not-consumable
-- Only the first part of the pair is marked.
def set ((xs, ys): (*[]i64, []i64)) : []i64 =
  let ys[0] = xs[0]
  in ys

entry main (a: []i64) (b: []i64) : []i64 = set (copy a, copy b)
