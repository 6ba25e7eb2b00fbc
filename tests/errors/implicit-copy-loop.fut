-- expect: implicit-copy, implicit-copy
-- A loop says that it owns a parameter of the function and a definition, but does not change them.
def table: [3]i64 = [1, 2, 3]

entry main [n] (dest: *[n]i64) (arr: []i64): ([n]i64, i64) =
  let (dest, _, _, steps) =
    loop (d: *[n]i64, e: *[]i64, t: *[]i64, i) = (dest, arr, table, 0) while length e + length t > 1 do
      let d' = d with [0] = e[0]
      in (d', filter (> e[0]) e, filter (> t[0]) t, i + 1)
  in (dest, steps)
