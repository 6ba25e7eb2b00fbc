-- Pictures as functions, and the same by hand: nothing of the functions should be left.
-- ==
-- entry: composed by_hand
-- "tiny" nobench input { 2i64 3i64 } auto output
-- "1080p" compiled input { 1080i64 1920i64 }

import "../../examples/pan/pan"

entry composed (h: i64) (w: i64): [h][w][3]u8 =
  let board = swirl 6 (scale 0.5 (painted black white checker))
  let disk =
    crop (annulus 0.4 1.2) (coloured (rotate_image 0.5 (mandelbrot 64)))
  in frame h w 4 (overlay disk board)

entry by_hand (h: i64) (w: i64): [h][w][3]u8 =
  let step = 4 / f32.i64 (i64.max 1 w)
  let (c1, s1) = (f32.cos 0.5, f32.sin 0.5)
  in tabulate_2d h w (\i j ->
       let x = (f32.i64 j + 0.5 - f32.i64 w / 2) * step
       let y = -((f32.i64 i + 0.5 - f32.i64 h / 2) * step)
       let d = f32.hypot x y
       -- The chess board.
       let angle = 2 * f32.pi * d / 6
       let (c, s) = (f32.cos angle, f32.sin angle)
       let (u, v) = ((c * x + s * y) / 0.5, (c * y - s * x) / 0.5)
       let is_black = (i32.f32 (f32.floor u) + i32.f32 (f32.floor v)) % 2 == 0
       let below = if is_black then 0f32 else 1
       -- The ring.
       let (r, g, b, a) =
         if 0.4 <= d && d <= 1.2
         then
           let (p, q) = (c1 * x + s1 * y, c1 * y - s1 * x)
           let (zx, zy, steps) =
             loop (zx, zy, steps) = (0f32, 0f32, 0i32)
             while steps < 64 && zx * zx + zy * zy <= 64 do
               (zx * zx - zy * zy + p, 2 * zx * zy + q, steps + 1)
           let t =
             if steps == 64
             then 1
             else
               (f32.i32 steps + 1
                - f32.log2 (f32.max 1 (0.5 * f32.log2 (zx * zx + zy * zy))))
               / 64
           let wave shift = 0.5 + 0.5 * f32.cos (2 * f32.pi * (3 * t + shift))
           let k = f32.min 1 (6 * t)
           in if t >= 1
              then (0, 0, 0, 1)
              else (k * wave 0, k * wave 0.667, k * wave 0.333, 1)
         else (0, 0, 0, 0)
       let byte (part: f32) =
         u8.f32 (255 * f32.max 0 (f32.min 1 (part + (1 - a) * below)) + 0.5)
       in [byte r, byte g, byte b])
