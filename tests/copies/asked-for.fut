-- expect: copy-in-loop
-- The program writes `copy`, because it reads what it overwrites. Of an array of pairs there are two to be copied.

def step [n] (pairs: [n](u32, i64)) (bit: i32): [n](u32, i64) =
  let ones = map (\(key, _) -> i64.u32 ((key >> u32.i32 bit) & 1)) pairs
  let zeros = n - i64.sum ones
  let before = map2 (-) (scan (+) 0 ones) ones
  let place i one b = if one == 1 then zeros + b else i - b
  in scatter (copy pairs) (map3 place (iota n) ones before) pairs

entry main [n] (keys: [n]u32): ([n]u32, [n]i64) =
  unzip (loop pairs = zip keys (iota n) for bit < 32 do step pairs bit)
