-- A small network with two hidden layers that learns by back-propagation with momentum, in mini-batches. The layers
-- are written as functions that give their value together with the way back.
-- ==
-- entry: main
-- "no epochs" nobench input { 0i64 2i64 0.5f32 [[1f32, 0f32], [0f32, 1f32]] [[1f32], [0f32]] }
-- output { [[-0.257129739f32, -0.642824347f32], [0.257129739f32, -0.128564869f32], [-0.707106781f32,
--   0.385694608f32], [-0.192847304f32, -0.578541912f32], [0.321412173f32, -0.0642824347f32], [-0.642824347f32,
--   0.449977043f32], [-0.128564869f32, -0.514259477f32], [0.385694608f32, 0f32], [-0.578541912f32,
--   0.514259477f32], [-0.0642824347f32, -0.449977043f32], [0.449977043f32, 0.0642824347f32], [-0.514259477f32,
--   0.578541912f32], [0f32, -0.385694608f32], [0.514259477f32, 0.128564869f32], [-0.449977043f32, 0.642824347f32],
--   [0.0642824347f32, -0.321412173f32], [0.578541912f32, 0.192847304f32], [-0.385694608f32, 0.707106781f32],
--   [0.128564869f32, -0.257129739f32], [0.642824347f32, 0.257129739f32], [-0.321412173f32, -0.707106781f32],
--   [0.192847304f32, -0.192847304f32], [0.707106781f32, 0.321412173f32], [-0.257129739f32, -0.642824347f32]]
--   [[0.227272727f32, 0.0909090909f32, -0.0454545455f32, -0.181818182f32, 0.204545455f32, 0.0681818182f32,
--   -0.0681818182f32, -0.204545455f32, 0.181818182f32, 0.0454545455f32, -0.0909090909f32, -0.227272727f32,
--   0.159090909f32, 0.0227272727f32, -0.113636364f32, -0.25f32]] empty([0]f32) }
-- "two epochs" nobench input { 2i64 1i64 0.5f32 [[1f32, 0f32], [0f32, 1f32]] [[1f32], [0f32]] }
-- output { [[-0.257049865f32, -0.642915309f32], [0.257080639f32, -0.128498455f32], [-0.707582508f32,
--   0.386116621f32], [-0.192972578f32, -0.578510789f32], [0.322653565f32, -0.0655186507f32], [-0.642864544f32,
--   0.450147656f32], [-0.129076617f32, -0.513808945f32], [0.386485225f32, -0.000889382723f32], [-0.578390492f32,
--   0.514039027f32], [-0.0645147665f32, -0.449698566f32], [0.449515443f32, 0.0648286696f32], [-0.514761934f32,
--   0.578847955f32], [-0.000274342747f32, -0.385580127f32], [0.514449318f32, 0.128410866f32], [-0.449198136f32,
--   0.642204089f32], [0.0637766842f32, -0.32104424f32], [0.578458412f32, 0.19275573f32], [-0.384488262f32,
--   0.706091163f32], [0.128449672f32, -0.257015301f32], [0.642397185f32, 0.257561536f32], [-0.321484107f32,
--   -0.707105341f32], [0.192898908f32, -0.192938714f32], [0.706729923f32, 0.321747034f32], [-0.257049865f32,
--   -0.642915309f32]] [[0.237133497f32, 0.101397132f32, -0.0365905724f32, -0.164464497f32, 0.210031039f32,
--   0.0748072674f32, -0.0532069731f32, -0.199397911f32, 0.1859161f32, 0.05790063f32, -0.0803562933f32,
--   -0.215724873f32, 0.169415639f32, 0.0309943015f32, -0.104506962f32, -0.240034299f32]] [0.147374345f32,
--   0.139928021f32] }
-- "small" compiled script input { samples 2i64 800i64 16i64 4i64 }
-- "medium" compiled script input { samples 4i64 4000i64 32i64 8i64 }
-- "large" compiled script input { samples 4i64 24000i64 32i64 10i64 }

def hidden1: i64 = 24
def hidden2: i64 = 16

type layer [n] [m] = {w: [m][n]f32, b: [m]f32}
type net [n] [k] =
  (layer [n] [hidden1], layer [hidden1] [hidden2], layer [hidden2] [k])

def dot [n] (xs: [n]f32) (ys: [n]f32): f32 = reduce (+) 0 (map2 (*) xs ys)
def matvec [n] [m] (w: [m][n]f32) (x: [n]f32): [m]f32 = map (dot x) w
def outer [n] [m] (a: [m]f32) (b: [n]f32): [m][n]f32 = map (\x -> map (* x) b) a
def sigmoid (x: f32): f32 = 1 / (1 + f32.exp (-x))

def layer_map2 [n] [m] (f: f32 -> f32 -> f32) (p: layer [n] [m])
               (q: layer [n] [m]): layer [n] [m] =
  {w = map2 (map2 f) p.w q.w, b = map2 f p.b q.b}
def net_map2 [n] [k] (f: f32 -> f32 -> f32) ((a, b, c): net [n] [k])
             ((d, e, g): net [n] [k]): net [n] [k] =
  (layer_map2 f a d, layer_map2 f b e, layer_map2 f c g)

def zero_layer (n: i64) (m: i64): layer [n] [m] =
  {w = replicate m (replicate n 0), b = replicate m 0}
def zero_net (n: i64) (k: i64): net [n] [k] =
  (zero_layer n hidden1, zero_layer hidden1 hidden2, zero_layer hidden2 k)

-- Weights without chance: a saw between -1 and 1, scaled by the width.
def start_layer (n: i64) (m: i64) (salt: i64): layer [n] [m] =
  let saw i j =
    f32.i64 ((i * 31 + j * 17 + salt * 7) % 23 - 11) / 11 / f32.sqrt (f32.i64 n)
  in {w = tabulate_2d m n saw, b = tabulate m (\i -> 0.1 * saw i 0)}

-- The output of a layer for an input; and, given the gradient at its output, that at the layer and at the input.
def forward [n] [m] (l: layer [n] [m]) (x: [n]f32): [m]f32 =
  map2 (+) (matvec l.w x) l.b |> map sigmoid

def backward [n] [m] (l: layer [n] [m]) (x: [n]f32) (out: [m]f32) (grad: [m]f32)
             : (layer [n] [m], [n]f32) =
  let delta = map2 (\o g -> g * o * (1 - o)) out grad
  in ({w = outer delta x, b = delta}, matvec (transpose l.w) delta)

-- Gradient and error of one sample.
def gradient [n] [k] ((l1, l2, l3): net [n] [k]) (x: [n]f32) (target: [k]f32)
             : (net [n] [k], f32) =
  let h1 = forward l1 x
  let h2 = forward l2 h1
  let out = forward l3 h2
  let difference = map2 (-) out target
  let (g3, d2) = backward l3 h2 out difference
  let (g2, d1) = backward l2 h1 h2 d2
  let (g1, _) = backward l1 x h1 d1
  in ((g1, g2, g3), 0.5 * dot difference difference)

def batch_gradient [b] [n] [k] (net: net [n] [k]) (xs: [b][n]f32)
                   (ts: [b][k]f32): (net [n] [k], f32) =
  let (grads, errors) = unzip (map2 (gradient net) xs ts)
  let total = reduce (net_map2 (+)) (zero_net n k) grads
  in (net_map2 (\g _ -> g / f32.i64 b) total total, f32.sum errors)

entry main [s] [n] [k] (epochs: i64) (batch: i64) (rate: f32) (xs: [s][n]f32)
           (ts: [s][k]f32)
           : ([hidden1][n]f32, [k][hidden2]f32, []f32) =
  let batches = s / batch
  let net: net [n] [k] =
    (start_layer n hidden1 1, start_layer hidden1 hidden2 2,
     start_layer hidden2 k 3)
  let (net, _, history) =
    loop (net, velocity, history) = (net, zero_net n k, []) for _e < epochs do
      let (net, velocity, error) =
        loop (net, velocity, error) = (net, velocity, 0) for i < batches do
          let from = i * batch
          let (g, err) =
            batch_gradient net xs[from:from + batch] ts[from:from + batch]
          let velocity = net_map2 (\v d -> 0.5 * v - rate * d) velocity g
          in (net_map2 (+) net velocity, velocity, error + err)
      in (net, velocity, history ++ [error / f32.i64 s])
  let (l1, _, l3) = net
  in (l1.w, l3.w, history)

-- Samples of some classes, each a wave of another frequency with a little noise.
entry samples (epochs: i64) (s: i64) (n: i64) (k: i64)
              : (i64, i64, f32, [s][n]f32, [s][k]f32) =
  let noise i j = f32.i64 ((i * 7919 + j * 104729 + i * j) % 101) / 101 - 0.5
  let sample i =
    tabulate n (\j ->
                  f32.sin (f32.i64 ((i % k + 1) * j) * 0.2) + 0.2 * noise i j)
  in (epochs, 40, 0.1, tabulate s sample,
      tabulate_2d s k (\i c -> f32.bool (i % k == c)))
