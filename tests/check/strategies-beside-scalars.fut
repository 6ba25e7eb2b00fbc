-- A level on a call is about the operators of the function, whatever else the function does.
def scaled [n] (xs: [n]f32): [n]f32 =
  let k = if n > 3 then 2 else 3
  let m = loop m = 1 for _i < 3 do m * k
  in map (* m) xs

def with_help [n] (f: f32 -> f32) (xs: [n]f32): [n]f32 =
  let k = if n > 3 then xs[0] else 3
  in map (\x -> f (x + k)) xs

entry main [n] (xs: [n]f32): ([n]f32, [n]f32) =
  (#[core] scaled xs, #[core] with_help f32.sqrt xs)
