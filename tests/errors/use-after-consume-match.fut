-- expect: use-after-consume
type grid = #dense ([4]f32) | #empty

def scale (g: *grid) : *[4]f32 =
  match g
  case #dense cells -> cells with [0] = 2
  case #empty -> replicate 4 0

entry main (seed: f32) : [4]f32 =
  let g: grid = #dense [seed, seed, seed, seed]
  let first = scale g
  let second = scale g
  in map2 (+) first second
