-- A radix sort of n numbers, one bit at a time, with a scan and a scatter for each.

def step [n] (xs: [n]u32) (bit: i32): [n]u32 =
  let ones = map (\x -> i64.u32 ((x >> u32.i32 bit) & 1)) xs
  let zeros = map (1 -) ones
  let after_zeros = scan (+) 0 zeros
  let after_ones = scan (+) 0 ones
  let split = i64.sum zeros
  let place one zero_at one_at =
    if one == 1 then split + one_at - 1 else zero_at - 1
  in scatter (copy xs) (map3 place ones after_zeros after_ones) xs

entry main (n: i64): bool =
  let xs = map (\i -> u32.i64 i * 1103515245 + 12345) (iota n)
  let sorted = loop xs for bit < 32 do step xs bit
  in and (map (\i -> i == 0 || sorted[i - 1] <= sorted[i]) (iota n))
