-- expect: none
-- Taken apart in the parameter, the parts are independent.
type state [n] = {cells: [n]i64, marks: [n]bool}

def step [n] ({cells, marks}: *state [n]): *state [n] =
  {cells = cells with [0] = 1, marks = marks with [0] = true}

entry main (n: i64): [n]i64 =
  let {cells, marks = _} = step {cells = iota n, marks = replicate n false}
  in cells
