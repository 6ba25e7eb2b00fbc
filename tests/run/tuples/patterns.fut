-- Tuple patterns, nested and with wildcards, and projection of fields by number.
-- ==
-- input { 1 2.5 true } output { 1 2.5 true 1 true }

def swap 'a 'b (x: a, y: b): (b, a) = (y, x)
def main (x: i32) (y: f64) (b: bool): (i32, f64, bool, i32, bool) =
  let t = (x, (y, b))
  let (p, (q, _)) = t
  let (r, s) = swap (x, b)
  in (p, q, t.1 .1, s, r)
