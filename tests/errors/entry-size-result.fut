-- expect: entry-size
-- Nothing determines the size.
entry zeros [n]: [n]f64 = replicate n 0
