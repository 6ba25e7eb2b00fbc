-- Type abbreviations in the types of entry points.
-- ==
-- input { [1.0, 2.0] } output { 5.0 }
-- input { empty([0]f64) } output { 0.0 }

type real = f64
type vector [n] = [n]real
def main [n] (v: vector [n]): real = f64.sum (map (\x -> x * x) v)
