-- | Pictures made of functions. Each entry point is a frame as three bytes for each pixel; the `_file` ones are PNG files.
--
-- `examples/pan/render.sh kenaz FOLDER` writes them all.

import "pan"
import "png"

module pictures = {
  -- | A chess board that is turned around its middle.
  def swirled (time: f32): picture =
    swirl (6 + time) (scale 0.5 (painted (hue 0.6) white checker))

  -- | A disk of wedges on rings, half transparent.
  def overlaid (time: f32): picture =
    let disk =
      crop (scale 1.4 unit_disk)
           (lift (\c -> mix 0.35 c invisible)
                 (painted (hue time) black (wedges 8)))
    in overlay disk (painted (hue (time + 0.5)) white (rings 0.25))

  -- | A chess board seen from its middle, inside out in the disk.
  def polar_board (time: f32): picture =
    let board = painted black (rgba 1 0.8 0.3 1) checker
    in choose unit_disk (inside_out (scale 0.2 board))
              (rotate_image time (around 6 board))

  -- | The Mandelbrot set in colours, with a grey one in a ring, as if through a lens.
  def fractal (time: f32): picture =
    let set = translate (point 0.6 0) (mandelbrot 128)
    in choose (annulus 0.5 (0.9 + 0.2 * time)) (grey (rotate_image time set))
              (coloured set)

  def julia_tiles (time: f32): picture =
    tiled 2
          (scale 0.6
                 (coloured (julia (point (-0.8) (0.156 + 0.02 * time)) 128)))
}

-- ==
-- entry: swirled overlaid polar_board fractal julia_tiles
-- input { 2i64 3i64 0.25f32 }

entry swirled (h: i64) (w: i64) (time: f32) =
  frame h w 4 (pictures.swirled time)
entry overlaid (h: i64) (w: i64) (time: f32) =
  frame h w 4 (pictures.overlaid time)
entry polar_board (h: i64) (w: i64) (time: f32) =
  frame h w 4 (pictures.polar_board time)
entry fractal (h: i64) (w: i64) (time: f32) =
  frame h w 3.5 (pictures.fractal time)
entry julia_tiles (h: i64) (w: i64) (time: f32) =
  frame h w 4 (pictures.julia_tiles time)

entry swirled_file (h: i64) (w: i64) (time: f32) = png (swirled h w time)
entry overlaid_file (h: i64) (w: i64) (time: f32) = png (overlaid h w time)
entry polar_board_file (h: i64) (w: i64) (time: f32) =
  png (polar_board h w time)
entry fractal_file (h: i64) (w: i64) (time: f32) = png (fractal h w time)
entry julia_tiles_file (h: i64) (w: i64) (time: f32) =
  png (julia_tiles h w time)
