-- A linear congruential generator, sequentially and by jumping ahead.
-- ==
-- input { 1u32 5i64 } output { [1015568748u32, 1586005467, 2165703038, 3027450565, 217083232] true }
-- input { 42u32 0i64 } output { empty([0]u32) true }

def a: u32 = 1664525
def c: u32 = 1013904223
def next (x: u32): u32 = a * x + c
def main (seed: u32) (n: i64): ([n]u32, bool) =
  let (_, xs) =
    loop (x, xs) = (seed, replicate n 0) for i < n do
      let y = next x
      in (y, xs with [i] = y)
  let affine =
    scan (\(a1, c1) (a2, c2) -> (a1 * a2, c1 * a2 + c2)) (1, 0)
         (replicate n (a, c))
  let ys = map (\(p, q) -> p * seed + q) affine
  in (xs, xs == ys)
