-- A radix sort that looks at four bits at a time: chunks count their digits, a scan says where each chunk puts each digit.
-- A pass reads and writes each number at least once.
-- work "1M": 0.06710886 GB
-- work "16M": 1.07374182 GB
-- ==
-- "tiny" nobench input { [5u32, 3u32, 4294967295u32, 0u32, 3u32, 65536u32] } output { [0u32, 3u32, 3u32, 5u32, 65536u32, 4294967295u32] }
-- "tiny, several chunks" nobench input { [77u32, 3u32, 900u32, 12u32, 12u32, 4000000000u32, 8u32, 1u32, 0u32, 255u32, 256u32, 17u32,
--   16u32, 15u32, 99u32, 100u32, 101u32, 5u32, 6u32, 7u32, 65535u32, 65536u32, 33u32, 2u32, 4294967295u32] }
-- output { [0u32, 1u32, 2u32, 3u32, 5u32, 6u32, 7u32, 8u32, 12u32, 12u32, 15u32, 16u32, 17u32, 33u32, 77u32, 99u32, 100u32, 101u32,
--   255u32, 256u32, 900u32, 65535u32, 65536u32, 4000000000u32, 4294967295u32] }
-- "1M" compiled script input { numbers 1048576i64 }
-- "16M" compiled script input { numbers 16777216i64 }

entry numbers (n: i64): [n]u32 = tabulate n (\i -> u32.i64 i * 2654435761u32)

def digit (shift: u32) (x: u32): i64 = i64.u32 ((x >> shift) & 15)

def exclusive_scan [n] (xs: [n]i64): [n]i64 =
  let sums = scan (+) 0 xs
  in map2 (-) sums xs

def pass [k] [m] (shift: u32) (chunks: [k][m]u32): [k][m]u32 =
  let counts: [k][16]i64 =
    map (\chunk ->
           loop counts = replicate 16 0 for x in chunk do
             let d = digit shift x in counts with [d] = counts[d] + 1)
        chunks
  let starts: [k][16]i64 =
    transpose counts |> flatten |> exclusive_scan |> unflatten |> transpose
  let places: [k][m]i64 =
    map2 (\chunk starts ->
            let (_, places) =
              loop (next, places) = (copy starts, replicate m 0) for i < m do
                let d = digit shift chunk[i]
                let place = next[d]
                in (next with [d] = place + 1, places with [i] = place)
            in places)
         chunks starts
  in unflatten (scatter (replicate (k * m) 0) (flatten places) (flatten chunks))

-- Greatest numbers fill the last chunk; since the order of equal ones stays, they are the last in the end.
entry main [n] (xs: [n]u32): [n]u32 =
  let m = if n < 1024 then 8 else 256
  let k = (n + m - 1) / m
  let padded = tabulate (k * m) (\i -> if i < n then xs[i] else u32.highest)
  let sorted =
    loop chunks = unflatten padded for p < 8 do pass (4 * u32.i32 p) chunks
  in take n (flatten sorted)
