-- Hand tracking: the rotation matrices of vectors whose direction is the axis and whose length the angle.
-- ==
-- "tiny" nobench input { [[0f64, 0f64, 0f64], [0.1f64, 0.2f64, 0.3f64], [0f64, 0f64, 1.5707963267948966f64]] }
-- output { [[[1.0f64, 0.0f64, 0.0f64], [0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64]], [[0.9357548032779188f64,
--   -0.28316496056507373f64, 0.21019170595074288f64], [0.3029327134026371f64, 0.9505806179060915f64,
--   -0.06803131640494002f64], [-0.18054007669439776f64, 0.12733457491763028f64, 0.9752903089530457f64]],
--   [[1.1102230246251565e-16f64, -1.0f64, 0.0f64], [1.0f64, 1.1102230246251565e-16f64, 0.0f64], [0.0f64, 0.0f64,
--   1.0f64]]] }
-- "1M" compiled random input { [1000000][3]f64 }

def rotation (v: [3]f64): [3][3]f64 =
  let angle = f64.sqrt (f64.sum (map (\x -> x * x) v))
  in if angle < 0.0001
     then [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
     else
       let x = v[0] / angle
       let y = v[1] / angle
       let z = v[2] / angle
       let s = f64.sin angle
       let c = f64.cos angle
       in [[x * x + (1 - x * x) * c, x * y * (1 - c) - z * s,
            x * z * (1 - c) + y * s],
           [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c,
            y * z * (1 - c) - x * s],
           [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s,
            z * z + (1 - z * z) * c]]

entry main [n] (vs: [n][3]f64): [n][3][3]f64 = map rotation vs
