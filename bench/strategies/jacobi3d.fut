-- Stencils with 7, 15 and 27 points in three dimensions: as they are, and with a window that moves through the layers, in which each
-- thread keeps what it reads of neighbouring layers in registers (2.5D tiling). Both read and write row-major arrays.
-- ==
-- entry: plain_7 plain_15 plain_27 window_7 window_15 window_27
-- "tiny" nobench random input { [5][5][5]f32 } auto output
-- "128" random input { [128][128][128]f32 }
-- "512" compiled random input { [512][512][512]f32 }

module s = import "strategy"

entry plain_7 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  in tabulate_3d m m m (\z y x ->
                          let at i j k = src[z + i, y + j, x + k] in
                          0.08 * at 0 1 1 +
                          0.08 * at 1 0 1 +
                          0.08 * at 1 1 0 +
                          0.4 * at 1 1 1 +
                          0.08 * at 1 1 2 +
                          0.08 * at 1 2 1 +
                          0.08 * at 2 1 1)

entry plain_15 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  in tabulate_3d m m m (\z y x ->
                          let at i j k = src[z + i, y + j, x + k] in
                          0.005 * at 0 0 0 +
                          0.005 * at 0 0 2 +
                          0.08 * at 0 1 1 +
                          0.005 * at 0 2 0 +
                          0.005 * at 0 2 2 +
                          0.08 * at 1 0 1 +
                          0.08 * at 1 1 0 +
                          0.4 * at 1 1 1 +
                          0.08 * at 1 1 2 +
                          0.08 * at 1 2 1 +
                          0.005 * at 2 0 0 +
                          0.005 * at 2 0 2 +
                          0.08 * at 2 1 1 +
                          0.005 * at 2 2 0 +
                          0.005 * at 2 2 2)

entry plain_27 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  in tabulate_3d m m m (\z y x ->
                          let at i j k = src[z + i, y + j, x + k] in
                          0.005 * at 0 0 0 +
                          0.01 * at 0 0 1 +
                          0.005 * at 0 0 2 +
                          0.01 * at 0 1 0 +
                          0.08 * at 0 1 1 +
                          0.01 * at 0 1 2 +
                          0.005 * at 0 2 0 +
                          0.01 * at 0 2 1 +
                          0.005 * at 0 2 2 +
                          0.01 * at 1 0 0 +
                          0.08 * at 1 0 1 +
                          0.01 * at 1 0 2 +
                          0.08 * at 1 1 0 +
                          0.4 * at 1 1 1 +
                          0.08 * at 1 1 2 +
                          0.01 * at 1 2 0 +
                          0.08 * at 1 2 1 +
                          0.01 * at 1 2 2 +
                          0.005 * at 2 0 0 +
                          0.01 * at 2 0 1 +
                          0.005 * at 2 0 2 +
                          0.01 * at 2 1 0 +
                          0.08 * at 2 1 1 +
                          0.01 * at 2 1 2 +
                          0.005 * at 2 2 0 +
                          0.01 * at 2 2 1 +
                          0.005 * at 2 2 2)

entry window_7 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  let columns =
    tabulate_2d m m (\y x ->
      let column j k = src[:, y + j, x + k]
      let windows = #[window] s.slide 3 1 (column 1 1)
      in map2 (\z w ->
                 0.08 * w[0] +
                 0.08 * src[z + 1, y + 0, x + 1] +
                 0.08 * src[z + 1, y + 1, x + 0] +
                 0.4 * w[1] +
                 0.08 * src[z + 1, y + 1, x + 2] +
                 0.08 * src[z + 1, y + 2, x + 1] +
                 0.08 * w[2]) (iota m) (windows :> [m][3]f32))
  in transpose (map transpose (transpose columns)) |> map transpose

entry window_15 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  let columns =
    tabulate_2d m m (\y x ->
      let column j k = src[:, y + j, x + k]
      let windows =
        #[window]
        s.slide 3 1
                (zip5 (column 0 0) (column 0 2) (column 1 1) (column 2 0)
                      (column 2 2))
      in map2 (\z w ->
                 0.005 * w[0].0 +
                 0.005 * w[0].1 +
                 0.08 * w[0].2 +
                 0.005 * w[0].3 +
                 0.005 * w[0].4 +
                 0.08 * src[z + 1, y + 0, x + 1] +
                 0.08 * src[z + 1, y + 1, x + 0] +
                 0.4 * w[1].2 +
                 0.08 * src[z + 1, y + 1, x + 2] +
                 0.08 * src[z + 1, y + 2, x + 1] +
                 0.005 * w[2].0 +
                 0.005 * w[2].1 +
                 0.08 * w[2].2 +
                 0.005 * w[2].3 +
                 0.005 * w[2].4) (iota m)
              (windows :> [m][3](f32, f32, f32, f32, f32)))
  in transpose (map transpose (transpose columns)) |> map transpose

entry window_27 [n] (src: [n][n][n]f32): [][][]f32 =
  let m = i64.max 0 (n - 2)
  let columns =
    tabulate_2d m m (\y x ->
      let column j k = src[:, y + j, x + k]
      let windows =
        #[window]
        s.slide 3 1
                (zip3 (zip3 (column 0 0) (column 0 1) (column 0 2))
                      (zip3 (column 1 0) (column 1 1) (column 1 2))
                      (zip3 (column 2 0) (column 2 1) (column 2 2)))
      in map2 (\_z w ->
                 0.005 * w[0].0 .0 +
                 0.01 * w[0].0 .1 +
                 0.005 * w[0].0 .2 +
                 0.01 * w[0].1 .0 +
                 0.08 * w[0].1 .1 +
                 0.01 * w[0].1 .2 +
                 0.005 * w[0].2 .0 +
                 0.01 * w[0].2 .1 +
                 0.005 * w[0].2 .2 +
                 0.01 * w[1].0 .0 +
                 0.08 * w[1].0 .1 +
                 0.01 * w[1].0 .2 +
                 0.08 * w[1].1 .0 +
                 0.4 * w[1].1 .1 +
                 0.08 * w[1].1 .2 +
                 0.01 * w[1].2 .0 +
                 0.08 * w[1].2 .1 +
                 0.01 * w[1].2 .2 +
                 0.005 * w[2].0 .0 +
                 0.01 * w[2].0 .1 +
                 0.005 * w[2].0 .2 +
                 0.01 * w[2].1 .0 +
                 0.08 * w[2].1 .1 +
                 0.01 * w[2].1 .2 +
                 0.005 * w[2].2 .0 +
                 0.01 * w[2].2 .1 +
                 0.005 * w[2].2 .2) (iota m)
              (windows
                 :> [m][3]((f32, f32, f32), (f32, f32, f32), (f32, f32, f32))))
  in transpose (map transpose (transpose columns)) |> map transpose
