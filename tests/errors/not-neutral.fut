-- expect: not-neutral, not-neutral, not-neutral, not-neutral, not-neutral, not-neutral

def total (xs: []i32): i32 = reduce (+) 10 xs

def product (xs: []f64): f64 = xs |> reduce_comm (*) 0.5

def any (xs: []bool): bool = reduce (||) true xs

def prefixes (xs: []i64): []i64 = scan (+) (-1) xs

def largest (xs: []i32): i32 = reduce i32.max 0 xs

def counts (is: []i64): [8]i32 = reduce_by_index (replicate 8 0) (+) 1 is (map (const 1) is)

def fine (xs: []u8) (ys: []f32): (u8, f32, i32) =
  (reduce u8.max 0 xs, reduce (+) (-0.0) ys, reduce i32.max (-2147483648) (map i32.u8 xs))

def own (xs: []i32): i32 =
  let reduce 'a (_: a -> a -> a) (x: a) (_: []a): a = x
  in reduce (+) 10 xs
