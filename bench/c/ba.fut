-- Bundle adjustment: where cameras see points, for many pairs of a camera and a point. The eleven numbers of a camera
-- are the axis and angle of its rotation, its centre, focal length, principal point and radial distortion.
-- ==
-- "tiny" nobench input {
--   [[0.1f64, 0.2f64, 0.3f64, 0.5f64, 0.25f64, -1f64, 2f64, 0.1f64, 0.2f64, 0.01f64, 0.001f64],
--    [0f64, 0f64, 0f64, 0f64, 0f64, 0f64, 1f64, 0f64, 0f64, 0f64, 0f64]]
--   [[1f64, 2f64, 3f64], [4f64, 6f64, 2f64]] [0u16, 1u16, 0u16] [0u16, 1u16, 1u16] }
-- output { [[0.5039212197955333f64, 0.9664352497709883f64], [2.0f64, 3.0f64], [1.7160402990776815f64,
--   4.685856821415091f64]] }
-- "10M" compiled random input { [65536][11]f64 [65536][3]f64 [10000000]u16 [10000000]u16 }

type vec [n] = [n]f64

def add [n] (a: vec [n]) (b: vec [n]): vec [n] = map2 (+) a b
def sub [n] (a: vec [n]) (b: vec [n]): vec [n] = map2 (-) a b
def scale [n] (s: f64) (a: vec [n]): vec [n] = map (s *) a
def dot [n] (a: vec [n]) (b: vec [n]): f64 = f64.sum (map2 (*) a b)

def cross (a: vec [3]) (b: vec [3]): vec [3] =
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
   a[0] * b[1] - a[1] * b[0]]

-- The formula of Rodrigues; for no rotation at all, its first terms.
def rotate (axis: vec [3]) (x: vec [3]): vec [3] =
  let square = dot axis axis
  in if square == 0
     then add x (cross axis x)
     else
       let angle = f64.sqrt square
       let w = scale (1 / angle) axis
       in add (add (scale (f64.cos angle) x)
                   (scale (f64.sin angle) (cross w x)))
              (scale (dot w x * (1 - f64.cos angle)) w)

def distort (k: vec [2]) (p: vec [2]): vec [2] =
  let r = dot p p
  in scale (1 + k[0] * r + k[1] * r * r) p

def project (camera: vec [11]) (point: vec [3]): vec [2] =
  let seen = rotate camera[0:3] (sub point (camera[3:6] :> vec [3]))
  let distorted =
    distort (camera[9:11] :> vec [2]) (scale (1 / seen[2]) seen[0:2])
  in add (camera[7:9] :> vec [2]) (scale camera[6] distorted)

entry main [n] (cameras: [][11]f64) (points: [][3]f64) (camera: [n]u16)
           (point: [n]u16): [n][2]f64 =
  map2 (\c p -> project cameras[i64.u16 c] points[i64.u16 p]) camera point
