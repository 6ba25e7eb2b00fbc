-- Names that are used, each in a way of its own, and names that need not be.

module type number = { type t val zero: t }

-- In sizes.
def replicated (n: i64): [n]i64 = replicate n 0
def take_all (n: i64) (xs: [n]i64): i64 = xs[0]
def coerced (xs: []i64): []i64 =
  let n = 3
  in xs :> [n]i64

-- Size and type parameters, and the names in function types.
def size [n] 't (_xs: [n]t): i64 = 0
def apply (f: (k: i64) -> [k]i64): []i64 = f 2

-- The short form of a field, and a loop that starts from names of the surroundings.
def point (x: f64) (y: f64) = {x, y}
def countdown (n: i64): i64 = loop n while n > 0 do n - 1
def halves (x: f64, n: i64): f64 =
  (loop (x, n) while n > 0 do (x / 2, n - 1)).0

-- By an update in place.
def update (xs: *[]i64): []i64 =
  let xs[0] = 1
  in xs

-- Nobody expects these to be used.
def constant (_x: i64) (_: i64): i64 =
  let (_, _y) = (1i64, 2i64)
  in loop s = 0 for _i < 10i64 do s + 1

-- The parameter of a module in a type, in a value and as a module.
module types (n: number) = { type pair = (n.t, n.t) }
module values (n: number) = { def start = n.zero }
module all (n: number) = n
