-- Power and shifts as members of the module u64.
-- ==
-- input { 3u64 4u64 }
-- output { [81u64, 48, 0, 0] }
-- input { 1u64 63u64 }
-- output { [1u64, 9223372036854775808, 0, 0] }
-- input { 9223372036854775807u64 1u64 }
-- output { [9223372036854775807u64, 18446744073709551614, 4611686018427387903, 4611686018427387903] }
-- input { 0u64 2u64 }
-- output { [0u64, 0, 0, 0] }

def main (x: u64) (k: u64): [4]u64 =
  [x u64.** k, x u64.<< k, x u64.>> k, x u64.>>> k]
