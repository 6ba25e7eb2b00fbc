-- # Gallery
--
-- Pictures by the programs in [examples](../examples). This page is [examples/gallery.fut](../examples/gallery.fut), a
-- program whose comments are the text and whose directives make the pictures: `cargo xtask gallery` writes it with
-- `kenaz literate`.

module mandelbrot = import "mandelbrot"
module life = import "life"
module fluid = import "fluid"
module raytracer = import "raytracer"
module black_scholes = import "black_scholes"
module kmeans = import "kmeans"
module fit = import "fit"
module frames = import "pan/frames"
open import "colour"

-- ## Light in a room without walls
--
-- Every pixel is the mean of nine rays, which mirrors send on: a map over pixels with a loop inside
-- ([raytracer.fut](../examples/raytracer.fut)).

def spheres = raytracer.picture

-- > :img spheres 300 480;
-- file: raytracer.png

-- ## The Mandelbrot set
--
-- How long points stay near zero when they are squared and moved, again and again
-- ([mandelbrot.fut](../examples/mandelbrot.fut)).

def mandelbrot_set (height: i64) (width: i64): [height][width]u32 =
  let limit = 255
  let times = mandelbrot.main (2 * height) (2 * width) limit
  let shade t =
    if t == limit then grey 0 else fire (f32.log (f32.i32 t + 1) / 5)
  let mean i j =
    let part a b = shade times[2 * i + a, 2 * j + b]
    in scaled 0.25 (plus (plus (part 0 0) (part 0 1))
                         (plus (part 1 0) (part 1 1)))
  in tabulate_2d height width (\i j -> packed (mean i j))

-- > :img mandelbrot_set 260 390;
-- file: mandelbrot.png

-- ## A stream that rolls up
--
-- A fluid carries its velocity along, and pressure keeps it from getting denser anywhere
-- ([fluid.fut](../examples/fluid.fut)). The video comes from a function from one state to a picture and the next one.

def flow (n: i64) = fluid.start n

def flowing [n] (s: fluid.state [n]) = fluid.frame s

-- > :video (flowing, flow 192, 32i64);
-- fps: 12
-- file: fluid.gif

-- ## Life
--
-- A soup of cells that are alive by chance, on Conway's rules ([life.fut](../examples/life.fut)).

def soup (height: i64) (width: i64): [height][width]bool =
  tabulate_2d height width (\i j -> fit.noise (i * width + j) > 0.4)

-- | A picture with squares of five pixels, and the board a step later.
def living [h] [w] (board: [h][w]bool): ([][]u32, [h][w]bool) =
  let colour i j =
    if i % 5 == 4 || j % 5 == 4 then 0xf4f4f0u32
    else if board[i / 5, j / 5] then 0x1f5f6b else 0xffffff
  in (tabulate_2d (5 * h) (5 * w) colour, life.main 1 board)

-- > :video (living, soup 28 44, 60i64);
-- fps: 10
-- file: life.gif

-- ## What an option is worth
--
-- The price of a call over the price of its share, from half to more than one and a half times the strike, and the time
-- that is left, from none in front to two years behind ([black_scholes.fut](../examples/black_scholes.fut)). Steeper
-- parts are darker: the slope is `jvp` of the price.

def option_prices = black_scholes.picture

-- > :img option_prices 300 420;
-- file: black-scholes.png

-- ## Clusters
--
-- Points around five places, each in the colour of the cluster that k-means finds for it
-- ([kmeans.fut](../examples/kmeans.fut)), and around them what would belong to the same one.

def clusters (height: i64) (width: i64) (count: i64): [height][width]u32 =
  let places: [5][2]f32 =
    [[0.2, 0.25], [0.75, 0.2], [0.5, 0.55], [0.2, 0.8], [0.82, 0.75]]
  -- Sums of numbers that look like chance are near zero more often than far from it.
  let chance i k = f32.f64 (fit.noise (4 * i + k))
  let point i =
    [ places[i % 5, 0] + 0.09 * (chance i 0 + chance i 1)
    , places[i % 5, 1] + 0.09 * (chance i 2 + chance i 3)
    ]
  let (centres, membership) = kmeans.main 5 20 (tabulate count point)
  let colours = map hex [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00]
  let background =
    tabulate_2d height width (\y x ->
      let at =
        [ (f32.i64 x + 0.5) / f32.i64 width
        , (f32.i64 y + 0.5) / f32.i64 height
        ]
      in packed (mixed 0.84 colours[kmeans.nearest centres at] (grey 1)))
  -- A point is a small disk.
  let disk = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
  let dot i (dy, dx) =
    let p = point i
    in ( i64.f32 (p[1] * f32.i64 height) + dy
       , i64.f32 (p[0] * f32.i64 width) + dx
       )
  let dots = flatten (tabulate count (\i -> map (dot i) disk))
  let inks =
    flatten (tabulate count (\i ->
                               replicate 5 (packed colours[membership[i]])))
  in scatter_2d background dots inks

-- > :img clusters 280 390 600;
-- file: kmeans.png

-- ## A curve through points
--
-- Three bells, moved by the gradient of their error, which is `vjp` ([fit.fut](../examples/fit.fut)): what was measured,
-- where the bells began, and where they were after 1000 steps.

def measured (n: i64): ([n]f64, [n]f64) =
  let xs = fit.abscissas n
  in (xs, fit.measured xs)

def fitted (n: i64) (steps: i64): ([n]f64, [n]f64) =
  let xs = fit.abscissas n
  in (xs, fit.fitted steps xs)

-- > :plot2d {measured = measured 120, at_first = fitted 120 0,
--            fitted = fitted 120 1000};
-- size: (560,300)
-- file: fit.svg

-- ## Images that are functions
--
-- An image is a function from points to colours, and whatever is done to images is done to functions
-- ([pan](../examples/pan/pan.fut)): a board in a swirl; wedges over rings; a board inside out within a disk and around
-- it; a fractal through a lens.

-- | A picture whose pixels are the means of nine.
def smooth (h: i64) (w: i64) (frame: i64 -> i64 -> [][][3]u8): [h][w][3]u8 =
  let fine = frame (3 * h) (3 * w)
  let mean y x c =
    i64.sum (map (\i -> i64.u8 fine[3 * y + i / 3, 3 * x + i % 3, c]) (iota 9))
    / 9
  in tabulate_3d h w 3 (\y x c -> u8.i64 (mean y x c))

def swirled (height: i64) (width: i64) =
  smooth height width (\h w -> frames.swirled h w 0.4)

def overlaid (height: i64) (width: i64) =
  smooth height width (\h w -> frames.overlaid h w 0.6)

def polar_board (height: i64) (width: i64) =
  smooth height width (\h w -> frames.polar_board h w 0.2)

def fractal (height: i64) (width: i64) =
  smooth height width (\h w -> frames.fractal h w 0.4)

-- > :img swirled 200 280;
-- file: swirled.png

-- > :img overlaid 200 280;
-- file: overlaid.png

-- > :img polar_board 200 280;
-- file: polar-board.png

-- > :img fractal 200 280;
-- file: fractal.png
