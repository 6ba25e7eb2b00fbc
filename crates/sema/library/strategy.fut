-- | Strategies: who runs an operator, where an array is, and how arrays are cut.
--
-- `module s = import "strategy"`, then `s.map_grid f xs`. These are ordinary functions, most of them an operator with an
-- attribute in front: another compiler of the language can be given this file, and a program means the same without its
-- attributes. docs/strategies.md says what each attribute asks for, and when it is refused.

-- Who runs the iterations of a map

-- | On all threads of a device.
#[inline]
def map_grid [n] 'a 'b (f: a -> b) (as: [n]a): [n]b = #[grid] map f as

-- | On the blocks of a device, one iteration each.
#[inline]
def map_block [n] 'a 'b (f: a -> b) (as: [n]a): [n]b = #[block] map f as

-- | On the lanes of a block: inside of `map_block`.
#[inline]
def map_lane [n] 'a 'b (f: a -> b) (as: [n]a): [n]b = #[lane] map f as

-- | On the cores of a CPU.
#[inline]
def map_core [n] 'a 'b (f: a -> b) (as: [n]a): [n]b = #[core] map f as

-- | One after the other; what is inside may run at any level.
#[inline]
def map_seq [n] 'a 'b (f: a -> b) (as: [n]a): [n]b = #[pinned] #[sequential_outer] map f as

-- | A reduction from left to right, by one thread.
#[inline]
def reduce_seq [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): a = #[pinned] #[sequential] reduce op ne as

-- Where an array is

-- | A copy in the memory of the device, or of the host.
#[inline]
def to_global [n] 'a (as: [n]a): *[n]a = #[global] copy as

-- | A copy in the on-chip memory of a block: inside of `map_block`.
#[inline]
def to_shared [n] 'a (as: [n]a): *[n]a = #[shared] copy as

-- | A copy that belongs to one thread.
#[inline]
def to_private [n] 'a (as: [n]a): *[n]a = #[private] copy as

-- How arrays are cut

-- | Rows of `m` elements. There must be a whole number of them.
#[inline]
def split [n] 'a (m: i64) (as: [n]a): [n / m][m]a = unflatten (as :> [(n / m) * m]a)

-- | The rows one after the other.
#[inline]
def join [n] [m] 'a (as: [n][m]a): [n * m]a = flatten as

-- | Windows of `size` elements, each `step` behind the one before. There is none if there are too few elements.
#[inline]
def slide [n] 'a (size: i64) (step: i64) (as: [n]a): [][size]a =
  let count = if n < size then 0 else (n - size) / step + 1
  in tabulate count (\i -> as[i * step:i * step + size] :> [size]a)

-- | More elements on both sides, equal to the first and the last. There must be one.
#[inline]
def pad_clamp [n] 'a (before: i64) (after: i64) (as: [n]a): [before + n + after]a =
  tabulate (before + n + after) (\i -> as[i64.max 0 (i64.min (n - 1) (i - before))])

-- | More elements on both sides, equal to `x`.
#[inline]
def pad_const [n] 'a (before: i64) (after: i64) (x: a) (as: [n]a): [before + n + after]a =
  tabulate (before + n + after) (\i -> if i < before || i >= before + n then x else as[i - before])

-- | Tiles of `h` rows and `w` columns. There must be a whole number of them in both directions.
#[inline]
def tile_2d [n] [m] 'a (h: i64) (w: i64) (as: [n][m]a): [n / h][m / w][h][w]a =
  map (\strip -> transpose (map (split w) strip)) (split h as)

-- | Vectors of `w` elements: as `split`.
#[inline]
def as_vectors [n] 'a (w: i64) (as: [n]a): [n / w][w]a = split w as

-- | The elements of vectors: as `join`.
#[inline]
def as_scalars [n] [w] 'a (as: [n][w]a): [n * w]a = join as
