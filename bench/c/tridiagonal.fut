-- Many systems of equations with three diagonals: elimination, then substitution from the end. The middle diagonal is
-- four larger than given, which keeps random systems regular.
-- ==
-- "tiny" nobench input { [[0f64, 1f64, 1f64], [0f64, 2f64, 1f64]] [[0f64, 1f64, 2f64], [1f64, 1f64, 0f64]]
--   [[1f64, 1f64, 0f64], [1f64, 3f64, 0f64]] [[6f64, 14f64, 20f64], [5f64, 10f64, 9f64]] }
-- output { [[1.0f64, 2.0f64, 3.0f64], [0.935064935064935f64, 0.3246753246753247f64, 2.168831168831169f64]] }
-- "1000 of 1000" compiled random input { [1000][1000]f64 [1000][1000]f64 [1000][1000]f64 [1000][1000]f64 }
-- "100000 of 16" compiled random input { [100000][16]f64 [100000][16]f64 [100000][16]f64 [100000][16]f64 }

def solve [n] (below: [n]f64) (middle: [n]f64) (above: [n]f64) (right: [n]f64)
          : [n]f64 =
  let middle = map (+ 4) middle
  let (middle, right) =
    loop (middle, right) = (middle, copy right) for i in 1..<n do
      let factor = below[i] / middle[i - 1]
      let diagonal = middle[i] - factor * above[i - 1]
      let value = right[i] - factor * right[i - 1]
      in (middle with [i] = diagonal, right with [i] = value)
  let last = right[n - 1] / middle[n - 1]
  in loop x = right with [n - 1] = last for k < n - 1 do
       let i = n - 2 - k
       let value = (x[i] - above[i] * x[i + 1]) / middle[i]
       in x with [i] = value

entry main [m] [n] (below: [m][n]f64) (middle: [m][n]f64) (above: [m][n]f64)
           (right: [m][n]f64): [m][n]f64 =
  map4 solve below middle above right
