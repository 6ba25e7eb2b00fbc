-- An estimate of pi by points from a generator of random numbers.
-- ==
-- input { 1000i64 } output { true }
-- input { 1i64 } output { false }

def hash (x: u32): u32 =
  let x = ((x >> 16) ^ x) * 0x45d9f3b
  let x = ((x >> 16) ^ x) * 0x45d9f3b
  in (x >> 16) ^ x
def unit (x: u32): f64 = f64.u32 x / 4294967296
def main (n: i64): bool =
  let inside i =
    let x = unit (hash (2 * u32.i64 i + 1))
    let y = unit (hash (2 * u32.i64 i + 2))
    in i64.bool (x * x + y * y < 1)
  let pi = 4 * f64.i64 (i64.sum (map inside (iota n))) / f64.i64 n
  in f64.abs (pi - f64.pi) < 0.15
