-- Functions in nested records, updated by `with`.
-- ==
-- input { 5 } output { 6 10 25 }

type^ tools = {unary: {f: i32 -> i32, g: i32 -> i32}, k: i32}
def tools: tools = {unary = {f = (+ 1), g = (* 2)}, k = 5}
def main (x: i32): (i32, i32, i32) =
  let t = tools
  let h = (\(u: i32) -> u * x)
  let u: tools = {unary = {f = h, g = t.unary.g}, k = x}
  in (t.unary.f x, t.unary.g x, u.unary.f u.k)
