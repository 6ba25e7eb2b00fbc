-- Functions with explicit type parameters, used at several types.
-- ==
-- input { 1 2.5 true } output { 1 2.5 true true 1 }

def fst 'a 'b (p: (a, b)): a = p.0
def snd 'a 'b (p: (a, b)): b = p.1
def main (x: i32) (y: f64) (b: bool): (i32, f64, bool, bool, i32) =
  (fst (x, y), snd (x, y), fst (b, x), snd (y, b), fst (fst ((x, b), y)))
