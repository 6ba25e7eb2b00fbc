-- A function that consumes one parameter and observes another.
-- ==
-- input { [1, 2, 3] [10, 20] } output { [11, 22, 3] }
-- input { [1] [10] } output { [11] }
-- input { [1] [10, 20] } error: .

def add_to [n] [m] (dest: *[n]i32) (src: [m]i32): *[n]i32 =
  loop d = dest for i < m do d with [i] = d[i] + src[i]
def main [n] [m] (xs: *[n]i32) (ys: [m]i32): [n]i32 = add_to xs ys
