-- A parametric record type with size and type parameters.
-- ==
-- input { [1, 2, 3] [true, true, false] } output { [3, 2, 1] [false, true, true] 3i64 }
-- input { empty([0]i32) empty([0]bool) } output { empty([0]i32) empty([0]bool) 0i64 }

type table [n] 'a 'b = {keys: [n]a, values: [n]b}
def rev [n] 'a 'b (t: table [n] a b): table [n] a b =
  {keys = reverse t.keys, values = reverse t.values}
def main [n] (ks: [n]i32) (vs: [n]bool): ([]i32, []bool, i64) =
  let t: table [] i32 bool = rev {keys = ks, values = vs}
  in (t.keys, t.values, length t.keys)
