-- The distance from 1 to the next number of f16.
-- ==
-- tags { no_peer }
-- input { }
-- output { 0.000977f16 }

def main: f16 = f16.epsilon
