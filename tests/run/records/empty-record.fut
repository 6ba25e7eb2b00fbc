-- The empty record is the unit value.
-- ==
-- input { 1 } output { true 2 }

def f ({}: {}) (x: i32) = x + 1
def main (x: i32): (bool, i32) = ({} == (), f {} x)
