-- The Levenshtein distance of two texts, row by row.
-- ==
-- input { [107u8, 105, 116, 116, 101, 110] [115u8, 105, 116, 116, 105, 110, 103] } output { 3i64 }
-- input { [97u8, 98] [97u8, 98] } output { 0i64 }
-- input { empty([0]u8) [97u8, 98] } output { 2i64 }

def main [n] [m] (a: [n]u8) (b: [m]u8): i64 =
  let row =
    loop row = iota (m + 1) for i < n do
      let next = replicate (m + 1) (i + 1)
      in loop next for j < m do
           let change = row[j] + i64.bool (a[i] != b[j])
           in next with [j + 1] =
                i64.min change (1 + i64.min row[j + 1] next[j])
  in row[m]
