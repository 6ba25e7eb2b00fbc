-- Reductions of booleans: parity, conjunction, disjunction.
-- ==
-- input { [true, true, true] } output { true true true }
-- input { [true, false, true] } output { false false true }
-- input { empty([0]bool) } output { false true false }

def main (bs: []bool): (bool, bool, bool) =
  (reduce (!=) false bs, reduce (&&) true bs, reduce (||) false bs)
