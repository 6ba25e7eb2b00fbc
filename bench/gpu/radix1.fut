-- A radix sort that looks at one bit at a time. A pass reads and writes each number at least once.
-- work "1M": 0.26843546 GB
-- work "16M": 4.29496730 GB
-- ==
-- "tiny" nobench input { [5u32, 3u32, 4294967295u32, 0u32, 3u32, 65536u32] } output { [0u32, 3u32, 3u32, 5u32, 65536u32, 4294967295u32] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "16M" compiled script input { numbers 16777216i64 }

entry numbers (n: i64): [n]u32 = tabulate n (\i -> u32.i64 i * 2654435761u32)

-- The numbers whose bit is not set come first.
def pass [n] (xs: [n]u32) (bit: i32): [n]u32 =
  let ones = map (\x -> i64.i32 (u32.get_bit bit x)) xs
  let zeros = map (1 -) ones
  let before_ones = scan (+) 0 ones
  let before_zeros = scan (+) 0 zeros
  let all_zeros = if n == 0 then 0 else last before_zeros
  let place one zeros_so_far ones_so_far =
    if one == 1 then all_zeros + ones_so_far - 1 else zeros_so_far - 1
  in scatter (copy xs) (map3 place ones before_zeros before_ones) xs

entry main [n] (xs: [n]u32): [n]u32 = loop xs for bit < 32 do pass xs bit
