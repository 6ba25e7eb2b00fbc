-- Bodies that attract each other, over a few steps of time.
-- ==
-- "tiny" nobench input { 2i64 0.1f32 [[0f32, 0f32, 0f32], [1f32, 0f32, 0f32], [0f32, 2f32, 0f32]]
--   [[0f32, 0f32, 0f32], [0f32, 1f32, 0f32], [0.5f32, 0f32, 0f32]] [1f32, 0.5f32, 2f32] }
-- output { [[0.0149822142f32, 0.0154845666f32, 0f32], [0.964715339f32, 0.210130118f32, 0f32], [0.101330058f32,
--   1.98972519f32, 0f32]] [[0.100562876f32, 0.105032582f32, 0f32], [-0.236493065f32, 1.06563116f32, 0f32],
--   [0.508841828f32, -0.0689240798f32, 0f32]] }
-- "1 step, 4000" compiled random input { 1i64 0.01f32 [4000][3]f32 [4000][3]f32 [4000]f32 }
-- "100 steps, 300" compiled random input { 100i64 0.0001f32 [300][3]f32 [300][3]f32 [300]f32 }

type vec = {x: f32, y: f32, z: f32}
type body = {position: vec, velocity: vec, mass: f32}

def add (a: vec) (b: vec): vec = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def sub (a: vec) (b: vec): vec = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def scale (s: f32) (a: vec): vec = {x = s * a.x, y = s * a.y, z = s * a.z}
def dot (a: vec) (b: vec): f32 = a.x * b.x + a.y * b.y + a.z * b.z

-- What b does to a; the softening keeps close bodies, and a body and itself, from dividing by nothing.
def pull (a: body) (b: body): vec =
  let d = sub b.position a.position
  let square = dot d d + 0.01
  in scale (b.mass / (square * f32.sqrt square)) d

def step [n] (dt: f32) (bodies: [n]body): [n]body =
  map (\body ->
         let acceleration =
           reduce add {x = 0, y = 0, z = 0} (map (pull body) bodies)
         let velocity = add body.velocity (scale dt acceleration)
         in body with velocity = velocity
              with position = add body.position (scale dt velocity))
      bodies

def from_array (v: [3]f32): vec = {x = v[0], y = v[1], z = v[2]}
def to_array (v: vec): [3]f32 = [v.x, v.y, v.z]

entry main [n] (steps: i64) (dt: f32) (positions: [n][3]f32)
           (velocities: [n][3]f32) (masses: [n]f32)
           : ([n][3]f32, [n][3]f32) =
  let start =
    map3 (\p v m ->
            {position = from_array p, velocity = from_array v, mass = m})
         positions velocities masses
  let end = loop bodies = start for _i < steps do step dt bodies
  in unzip (map (\b -> (to_array b.position, to_array b.velocity)) end)
