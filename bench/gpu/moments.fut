-- The mean and the variance of numbers, in one reduction.
-- work "1M": 0.00419430 GB
-- work "64M": 0.26843546 GB
-- ==
-- "tiny" nobench input { [2f32, 4f32, 4f32, 4f32, 5f32, 5f32, 7f32, 9f32] } output { 5f32 4f32 }
-- "1M" compiled script input { numbers 1048576i64 }
-- "64M" compiled script input { numbers 67108864i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry numbers (n: i64): [n]f32 = tabulate n (\i -> 10 + value i)

type moments = {count: f32, mean: f32, squares: f32}

def merge (a: moments) (b: moments): moments =
  let count = a.count + b.count
  let delta = b.mean - a.mean
  let part = b.count / f32.max 1 count
  in {count,
      mean = a.mean + delta * part,
      squares = a.squares + b.squares + delta * delta * a.count * part}

entry main (xs: []f32): (f32, f32) =
  let all =
    reduce merge {count = 0, mean = 0, squares = 0}
           (map (\x -> {count = 1, mean = x, squares = 0}) xs)
  in (all.mean, all.squares / all.count)
