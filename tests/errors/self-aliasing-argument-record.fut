-- expect: self-aliasing-argument
type pair = {left: [4]i64, right: [4]i64}

def swap (p: *pair) : *pair = {left = p.right with [0] = 0, right = replicate 4 1}

entry main (x: i64) : [4]i64 =
  let xs = replicate 4 x
  in (swap {left = xs, right = xs}).left
