-- Speckle-reducing anisotropic diffusion of an ultrasound image: in every round the statistics of a homogeneous
-- region tell how much of the variation is speckle, a coefficient per pixel tells how freely it diffuses, and every
-- pixel moves towards its neighbours by these coefficients. Then the image is compressed by a logarithm again.
-- ==
-- entry: main
-- nobench input { 1i32 0.5f32 [[155u8, 183u8, 159u8, 155u8, 170u8, 190u8, 88u8, 87u8], [171u8, 161u8, 197u8, 87u8,
--   64u8, 154u8, 117u8, 76u8], [63u8, 177u8, 50u8, 192u8, 141u8, 155u8, 197u8, 80u8], [199u8, 43u8, 175u8, 56u8,
--   55u8, 49u8, 88u8, 101u8], [193u8, 47u8, 158u8, 123u8, 152u8, 191u8, 90u8, 172u8], [99u8, 115u8, 167u8, 41u8,
--   61u8, 157u8, 111u8, 144u8], [181u8, 61u8, 105u8, 120u8, 98u8, 171u8, 113u8, 47u8], [57u8, 184u8, 67u8, 142u8,
--   67u8, 114u8, 138u8, 57u8]] }
-- output { [[155.7542f32, 181.4709f32, 159.4558f32, 154.9792f32, 169.819f32, 189.5934f32, 88.3067f32, 86.91926f32],
--   [170.5952f32, 161.8418f32, 196.6283f32, 87.40545f32, 64.88587f32, 153.7914f32, 116.4196f32, 77.07193f32],
--   [63.46318f32, 176.6792f32, 50.72478f32, 191.6233f32, 140.8549f32, 154.8935f32, 196.5107f32, 80.39144f32],
--   [198.7715f32, 43.54672f32, 174.6632f32, 56.64396f32, 55.42616f32, 49.51053f32, 88.25784f32, 101.1163f32],
--   [192.6548f32, 47.85546f32, 157.7344f32, 122.864f32, 151.6979f32, 190.5282f32, 90.80393f32, 171.4874f32],
--   [99.4485f32, 114.8117f32, 166.5029f32, 41.99794f32, 61.64773f32, 156.554f32, 111.3921f32, 143.767f32],
--   [180.6344f32, 61.67879f32, 105.1082f32, 119.6082f32, 98.11368f32, 170.2792f32, 113.209f32, 47.58839f32],
--   [57.33644f32, 183.6377f32, 67.70124f32, 141.3724f32, 67.8669f32, 114.2378f32, 137.4691f32, 57.34717f32]]
--   121.60862f32 }
-- nobench input { 4i32 0.5f32 [[44u8, 40u8, 94u8, 93u8, 53u8, 160u8, 136u8, 141u8, 147u8, 58u8], [184u8, 90u8,
--   109u8, 126u8, 62u8, 119u8, 125u8, 43u8, 144u8, 70u8], [74u8, 103u8, 65u8, 42u8, 55u8, 159u8, 164u8, 85u8,
--   183u8, 88u8], [154u8, 170u8, 88u8, 73u8, 147u8, 138u8, 69u8, 141u8, 147u8, 94u8], [40u8, 109u8, 191u8, 117u8,
--   45u8, 93u8, 87u8, 140u8, 194u8, 187u8], [65u8, 50u8, 77u8, 94u8, 153u8, 106u8, 42u8, 196u8, 124u8, 115u8],
--   [138u8, 58u8, 59u8, 63u8, 93u8, 189u8, 102u8, 43u8, 193u8, 134u8], [135u8, 199u8, 156u8, 72u8, 190u8, 163u8,
--   187u8, 74u8, 138u8, 86u8], [200u8, 79u8, 119u8, 98u8, 196u8, 103u8, 88u8, 80u8, 181u8, 90u8]] }
-- output { [[66.35363f32, 73.44176f32, 85.6259f32, 90.34199f32, 96.54766f32, 122.2792f32, 130.0796f32, 124.3386f32,
--   118.9552f32, 94.63293f32], [128.3536f32, 103.1213f32, 93.08999f32, 89.97495f32, 96.19624f32, 118.9223f32,
--   122.9256f32, 116.4999f32, 118.4343f32, 99.9999f32], [119.1913f32, 108.3163f32, 91.10222f32, 86.13846f32,
--   98.76245f32, 120.5561f32, 124.2763f32, 123.1213f32, 129.6786f32, 114.8288f32], [121.9656f32, 123.8945f32,
--   106.4318f32, 97.24996f32, 105.2778f32, 116.1358f32, 118.2629f32, 129.2014f32, 140.9326f32, 132.0726f32],
--   [87.19334f32, 104.0354f32, 133.1013f32, 110.9566f32, 106.5316f32, 106.4134f32, 108.769f32, 136.2374f32,
--   152.5566f32, 149.5364f32], [81.28662f32, 82.38604f32, 95.9101f32, 100.1499f32, 112.1195f32, 117.2098f32,
--   87.66766f32, 151.7885f32, 152.9653f32, 144.1602f32], [119.254f32, 87.78355f32, 87.07437f32, 91.30437f32,
--   126.9957f32, 143.5489f32, 116.6358f32, 109.5707f32, 138.7978f32, 135.0859f32], [148.5344f32, 155.1309f32,
--   127.1604f32, 115.2776f32, 151.1556f32, 152.7767f32, 132.3424f32, 113.554f32, 129.2936f32, 120.3417f32],
--   [169.1396f32, 130.8262f32, 121.4911f32, 123.4854f32, 150.9911f32, 140.238f32, 121.2012f32, 111.6532f32,
--   129.1985f32, 117.811f32]] 117.06822f32 }
-- "small" compiled script input { ultrasound 10i32 128i64 128i64 }
-- "medium" compiled script input { ultrasound 10i32 512i64 400i64 }
-- "large" compiled script input { ultrasound 20i32 1000i64 800i64 }

type region = {top: i64, bottom: i64, left: i64, right: i64}

-- The images shifted by one pixel, the border repeated.
def from_north [n] [m] (a: [n][m]f32): [n][m]f32 =
  [head a] ++ init a :> [n][m]f32
def from_south [n] [m] (a: [n][m]f32): [n][m]f32 =
  tail a ++ [last a] :> [n][m]f32
def from_west [n] [m] (a: [n][m]f32): [n][m]f32 =
  map (\row -> [head row] ++ init row :> [m]f32) a
def from_east [n] [m] (a: [n][m]f32): [n][m]f32 =
  map (\row -> tail row ++ [last row] :> [m]f32) a

def map2d 'a 'b [n] [m] (f: a -> b) (a: [n][m]a): [n][m]b = map (map f) a
def zip2d 'a 'b [n] [m] (a: [n][m]a) (b: [n][m]b): [n][m](a, b) = map2 zip a b
def map2d2 'a 'b 'c [n] [m] (f: a -> b -> c) (a: [n][m]a) (b: [n][m]b)
           : [n][m]c =
  map2 (map2 f) a b

def differences [n] [m] (image: [n][m]f32): [n][m](f32, f32, f32, f32) =
  let minus_here shifted = map2d2 (-) shifted image
  in map4 zip4
          (minus_here (from_north image))
          (minus_here (from_south image))
          (minus_here (from_west image))
          (minus_here (from_east image))

-- The squared coefficient of variation of the region, which is all speckle.
def speckle [n] [m] (r: region) (image: [n][m]f32): f32 =
  let pixels = flatten image[r.top:r.bottom, r.left:r.right]
  let add (a, b) (c, d) = (a + c, b + d) : (f32, f32)
  let (sum, sum2) = pixels |> map (\x -> (x, x * x)) |> reduce_comm add (0, 0)
  let count = f32.i64 (length pixels)
  let mean = sum / count
  let variance = sum2 / count - mean * mean
  in variance / (mean * mean)

def coefficient (q0: f32) (here: f32) (dn: f32, ds: f32, dw: f32, de: f32)
                : f32 =
  let g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here)
  let l = (dn + ds + dw + de) / here
  let num = 0.5 * g2 - 1 / 16 * l * l
  let den = 1 + 0.25 * l
  let q = num / (den * den)
  let c = 1 / (1 + (q - q0) / (q0 * (1 + q0)))
  in f32.max 0 (f32.min 1 c)

def round [n] [m] (lambda: f32) (r: region) (image: [n][m]f32): [n][m]f32 =
  let q0 = speckle r image
  let d = differences image
  let c = map2d2 (coefficient q0) image d
  let here_and_beyond = zip2d c (zip2d (from_south c) (from_east c))
  let flow (c, (south, east)) (dn, ds, dw, de) =
    c * dn + south * ds + c * dw + east * de : f32
  let divergence = map2d2 flow here_and_beyond d
  in map2d2 (\x d -> x + 0.25 * lambda * d) image divergence

entry main [n] [m] (rounds: i32) (lambda: f32) (image: [n][m]u8)
           : ([n][m]f32, f32) =
  let region =
    {top = 0, bottom = i64.max 1 (n / 4), left = 0, right = i64.max 1 (m / 4)}
  let extract (x: u8) = f32.exp (f32.u8 x / 255)
  let compress (x: f32) = f32.log x * 255
  let result =
    image
    |> map2d extract
    |> iterate rounds (round lambda region)
    |> map2d compress
  let mean = f64.sum (map f64.f32 (flatten result)) / f64.i64 (n * m)
  in (result, f32.f64 mean)

-- A bright ring on grey, with speckle.
entry ultrasound (rounds: i32) (n: i64) (m: i64): (i32, f32, [n][m]u8) =
  let noise (i: i64) =
    let x = u32.i64 i * 2654435761
    in u32.i32 41 * ((x ^ x >> 13) * 0x5bd1e995 >> 24) / 256
  let pixel i j =
    let y = f32.i64 i / f32.i64 n - 0.6
    let x = f32.i64 j / f32.i64 m - 0.6
    let d = f32.sqrt (x * x + y * y)
    let base = if d > 0.2 && d < 0.3 then 180 else 90
    in u8.u32 (base + noise (i * m + j))
  in (rounds, 0.5, tabulate_2d n m pixel)
