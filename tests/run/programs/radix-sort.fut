-- A radix sort of unsigned numbers, one bit at a time.
-- ==
-- input { [5u32, 1, 4294967295, 0, 77, 5] } output { [0u32, 1, 5, 5, 77, 4294967295] }
-- input { [9u32] } output { [9u32] }
-- input { empty([0]u32) } output { empty([0]u32) }

def step [n] (xs: [n]u32) (bit: i32): [n]u32 =
  let ones = map (\x -> i64.i32 (u32.get_bit bit x)) xs
  let zeros = map (1 -) ones
  let zero_pos = scan (+) 0 zeros
  let total = i64.sum zeros
  let one_pos = map (+ total) (scan (+) 0 ones)
  let pos =
    map3 (\b z o -> if b == 0 then z - 1 else o - 1) ones zero_pos one_pos
  in scatter (replicate n 0) pos xs
def main [n] (xs: [n]u32): [n]u32 = loop xs for bit < 32 do step xs bit
