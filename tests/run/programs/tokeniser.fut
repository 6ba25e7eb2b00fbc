-- A tokeniser: where the words of a text begin and how long they are.
-- ==
-- input { [104u8, 105, 32, 32, 121, 111, 117, 10] } output { [0i64, 4] [2i64, 3] }
-- input { [32u8] } output { empty([0]i64) empty([0]i64) }
-- input { empty([0]u8) } output { empty([0]i64) empty([0]i64) }

def is_space (c: u8): bool = c == ' ' || c == '\n' || c == '\t'
def main [n] (s: [n]u8): ([]i64, []i64) =
  let word i = i >= 0 && i < n && !(is_space s[i])
  let [k] (starts: [k]i64) = filter (\i -> word i && !(word (i - 1))) (iota n)
  let ends = filter (\i -> word i && !(word (i + 1))) (iota n)
  in (starts, map2 (\a b -> b - a + 1) starts (ends :> [k]i64))
