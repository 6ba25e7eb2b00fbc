-- Patterns that cover everything, each in a way of its own.

type maybe 't = #none | #some t
type light = #red | #amber | #green
type wrapped = #wrapped i64

-- Two columns, where no case covers one of them alone.
def both (a: maybe i64) (b: maybe i64): i64 =
  match (a, b)
  case (#some x, #some y) -> x + y
  case (#some x, #none) -> x
  case (#none, #some y) -> y
  case (#none, #none) -> 0

-- Numbers, with a case for the others.
def name (x: i64) (b: bool): i64 =
  match (x, b)
  case (0, true) -> 1
  case (-1, _) -> 2
  case (_, false) -> 3
  case (_, true) -> 4

-- Fields in any order, one of them by its short form.
def fields (r: {left: bool, right: maybe light}): i64 =
  match r
  case {right = #none, left = _} -> 0
  case {left = true, right = #some #red} -> 1
  case {left = false, right = #some #red} -> 2
  case {right = #some #amber, left} -> if left then 3 else 4
  case {left = _, right = #some #green} -> 5

-- A case that is never reached is no mistake.
def unreachable (l: light): i64 =
  match l
  case #red -> 0
  case _ -> 1
  case #green -> 2

-- A type with one constructor leaves no choice.
def unwrap ((#wrapped x): wrapped): i64 =
  let f ((#wrapped y): wrapped) = y + x
  in f (#wrapped 1)

def sum (ws: []wrapped): i64 =
  loop s = 0 for #wrapped x in ws do s + x

-- Every row looks at other columns.
def clauses (a: bool) (b: bool) (c: bool) (d: bool): i64 =
  match (a, b, c, d)
  case (true, true, _, _) -> 1
  case (_, false, true, _) -> 2
  case (_, _, false, true) -> 3
  case (false, _, _, false) -> 4
  case (true, false, false, false) -> 5
  case (false, true, true, true) -> 6
