-- | Arrays: their parts, how to build them, how to give them another shape, and sequential folds over them.

import "functional"
import "soacs"

-- | The number of elements of the outermost dimension.
def length [n] 't (_: [n]t) : i64 = n

-- | Whether the array has no elements.
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element; the array must not be empty.
def head [n] 't (x: [n]t) : t = x[0]

-- | The last element; the array must not be empty.
def last [n] 't (x: [n]t) : t = x[n - 1]

-- | All elements but the first; the array must not be empty.
def tail [n] 't (x: [n]t) : [n - 1]t = x[1:]

-- | All elements but the last; the array must not be empty.
def init [n] 't (x: [n]t) : [n - 1]t = x[0:n - 1]

-- | The first `i` elements; there must be as many.
def take [n] 't (i: i64) (x: [n]t) : [i]t = x[0:i]

-- | All but the first `i` elements; there must be as many.
def drop [n] 't (i: i64) (x: [n]t) : [n - i]t = x[i:]

-- | The same array, with its size known to be `n`, which is checked when the program runs.
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | The first `n` and the last `m` elements of an array whose size is the sum of both.
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) = (xs[0:n], xs[n:n + m] :> [m]t)

-- | The elements in the opposite order.
def reverse [n] 't (x: [n]t) : [n]t = x[::-1]

-- | The elements of one array followed by those of the other.
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The same as `++`, as an ordinary name for use without operator syntax.
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The integers `0` to `n - 1`.
def iota (n: i64) : *[n]i64 = 0..<n

-- | The valid indices of an array, in increasing order.
def indices [n] 't (_: [n]t) : *[n]i64 = iota n

-- | Move the elements `r` places to the left; those that leave come back at the other end. A negative `r` moves them to
-- the right.
def rotate [n] 't (r: i64) (a: [n]t) : *[n]t =
  -- A map, not a concatenation of slices, so that it fuses with what is around it; one division for the whole array.
  -- The index is in bounds because `i` and `k` are less than `n`.
  let k = if n == 0 then 0 else r % n
  in map (\i -> let j = i + k in #[unsafe] a[if j < n then j else j - n]) (iota n)

-- | An array of `n` times `x`.
def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

-- | An array of `x`s whose size follows from where it is used.
def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

-- | A copy that shares nothing with the original.
def copy '~t (a: t) : *t = intrinsics.copy a

-- | A copy whose arrays are in memory, in row-major order, even if the compiler would rather not have them there.
def manifest 't (a: t) : *t = intrinsics.manifest a

-- | Join the two outermost dimensions.
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | Join the three outermost dimensions.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t = flatten (flatten xs)

-- | Join the four outermost dimensions.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t = flatten (flatten_3d xs)

-- | Split the outermost dimension into two.
def unflatten 't [n] [m] (xs: [n * m]t) : [n][m]t = intrinsics.unflatten n m xs

-- | Split the outermost dimension into three.
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t) : [n][m][l]t = unflatten (intrinsics.unflatten (n * m) l xs)

-- | Split the outermost dimension into four.
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t) : [n][m][l][k]t =
  unflatten_3d (intrinsics.unflatten (n * m * l) k xs)

-- | Exchange the two outermost dimensions.
def transpose [n] [m] 't (a: [n][m]t) : [m][n]t = intrinsics.transpose a

-- | Whether all elements are true.
def and [n] (xs: [n]bool) : bool = reduce (&&) true xs

-- | Whether some element is true.
def or [n] (xs: [n]bool) : bool = reduce (||) false xs

-- | Combine the elements one after the other, from the left: `f (f (f acc bs[0]) bs[1]) bs[2]`. For an associative
-- operator, `reduce` is the parallel choice.
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in bs do f acc b

-- | Combine the elements one after the other, from the right: `f bs[0] (f bs[1] (f bs[2] acc))`.
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  foldl (flip f) acc (reverse bs)

-- | The array of `f 0` to `f (n - 1)`.
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a = map f (iota n)

-- | The array with `f i j` at row `i` and column `j`.
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  tabulate n (\i -> tabulate m (f i))

-- | The array with `f i j k` at `[i, j, k]`.
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][o]a =
  tabulate n (\i -> tabulate_2d m o (f i))
