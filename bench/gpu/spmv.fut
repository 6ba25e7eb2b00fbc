-- A sparse matrix times a vector; rows have 1 to 63 elements. By a segmented scan of all elements, and row by row.
-- work "16K rows": 0.00445571 GB
-- work "1M rows": 0.28521222 GB
-- ==
-- entry: segmented rows
-- "tiny" nobench input { [0i64, 2i64, 3i64, 6i64] [0, 2, 1, 0, 1, 2] [1f32, 2f32, 3f32, 4f32, 5f32, 6f32] [1f32, 10f32, 100f32] }
-- output { [201f32, 30f32, 654f32] }
-- "16K rows" compiled script input { system 16384i64 }
-- "1M rows" compiled script input { system 1048576i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry system (n: i64): ([]i64, []i32, []f32, [n]f32) =
  let lengths = tabulate n (\i -> 1 + i64.f32 (63 * value i))
  let ends = scan (+) 0 lengths
  let offsets = [0] ++ ends
  let elements = last ends
  in (offsets, tabulate elements (\i -> i32.f32 (value (i + 7) * f32.i64 n)),
      tabulate elements value,
      tabulate n (\i -> value (i + 13)))

def segmented_sums [n] (flags: [n]bool) (xs: [n]f32): [n]f32 =
  let add (f, x) (g, y) = (f || g, if g then y else x + y)
  in map (.1) (scan add (false, 0) (zip flags xs))

entry segmented [k] [e] [n] (offsets: [k]i64) (columns: [e]i32)
                (elements: [e]f32) (x: [n]f32): []f32 =
  let products = map2 (\j a -> a * x[j]) columns elements
  let flags =
    scatter (replicate e false) (init offsets) (replicate (k - 1) true)
  let sums = segmented_sums flags products
  in map (\end -> sums[end - 1]) (tail offsets)

entry rows [k] [e] [n] (offsets: [k]i64) (columns: [e]i32) (elements: [e]f32)
           (x: [n]f32): []f32 =
  tabulate (k - 1) (\i ->
                      loop sum = 0 for j in offsets[i]..<offsets[i + 1] do
                        sum + elements[j] * x[columns[j]])
