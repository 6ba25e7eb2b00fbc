-- | The second-order array operators: the functions that hold the parallelism of the language.
--
-- An operator given to `reduce`, `scan` and their relatives must be associative and `ne` its neutral element; otherwise
-- the result is unspecified. Where work and span are not stated, an operator over `n` elements does `O(n)` calls of its
-- function arguments; maps, scatters and histograms without conflicts have a span of `O(1)` of them, reductions, scans
-- and filters one of `O(log n)`.

import "functional"
import "zip"

-- | Apply `f` to every element.
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | The same as `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | Apply `f` to the elements of two arrays in step.
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map (\(a, b) -> f a b) (zip as bs)

-- | Apply `f` to the elements of three arrays in step.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map (\((a, b), c) -> f a b c) (zip (zip as bs) cs)

-- | Apply `f` to the elements of four arrays in step.
def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  intrinsics.map (\((a, b), (c, d)) -> f a b c d) (zip (zip as bs) (zip cs ds))

-- | Apply `f` to the elements of five arrays in step.
def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x)
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n]x =
  intrinsics.map (\((a, b), ((c, d), e)) -> f a b c d e) (zip (zip as bs) (zip (zip cs ds) es))

-- | Combine all elements with `op`, in their order; an empty array gives `ne`.
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce op ne as

-- | As `reduce`, but `op` must commute too, so elements may be combined in any order, which can be faster. The compiler
-- knows for itself that the built-in operators commute.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce_comm op ne as

-- | Inclusive prefix combination: element `i` of the result combines elements `0` to `i` with `op`.
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a = intrinsics.scan op ne as

-- | The generalised histogram: combine into `dest[is[i]]`, with `f`, the value `as[i]`, for every `i`. The operator
-- must commute. A value whose index lies outside `dest` is ignored.
def reduce_by_index 'a [k] [n] (dest: *[k]a) (f: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.reduce_by_index dest f ne is as

-- The position of `(i, j)` in a flattened array with `n` rows and `m` columns, or -1 if there is none.
local def flat_2d (n: i64) (m: i64) (i: i64, j: i64) : i64 =
  if 0 <= i && i < n && 0 <= j && j < m then i * m + j else -1

local def flat_3d (n: i64) (m: i64) (l: i64) (i: i64, j: i64, k: i64) : i64 =
  flat_2d n (m * l) (i, flat_2d m l (j, k))

-- | As `reduce_by_index`, with a two-dimensional destination.
def reduce_by_index_2d 'a [k] [n] [m] (dest: *[k][m]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64))
                       (as: [n]a) : *[k][m]a =
  reduce_by_index (intrinsics.flatten dest) f ne (map (flat_2d k m) is) as
  |> intrinsics.unflatten k m

-- | As `reduce_by_index`, with a three-dimensional destination.
def reduce_by_index_3d 'a [k] [n] [m] [l] (dest: *[k][m][l]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64, i64))
                       (as: [n]a) : *[k][m][l]a =
  reduce_by_index (intrinsics.flatten (intrinsics.flatten dest)) f ne (map (flat_3d k m l) is) as
  |> intrinsics.unflatten (k * m) l
  |> intrinsics.unflatten k m

-- | The histogram with `k` bins: bin `j` combines with `op` those `as[i]` for which `is[i]` is `j`.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  reduce_by_index (intrinsics.replicate k ne) op ne is as

-- | Write `vs[i]` to `dest[is[i]]`, for every `i`. A value whose index lies outside `dest` is ignored; when two
-- different values go to the same place, either may win.
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t = intrinsics.scatter dest is vs

-- | As `scatter`, with a two-dimensional destination.
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t) : *[k][n]t =
  scatter (intrinsics.flatten dest) (map (flat_2d k n) is) vs
  |> intrinsics.unflatten k n

-- | As `scatter`, with a three-dimensional destination.
def scatter_3d 't [k] [n] [o] [l] (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t) : *[k][n][o]t =
  scatter (intrinsics.flatten (intrinsics.flatten dest)) (map (flat_3d k n o) is) vs
  |> intrinsics.unflatten (k * n) o
  |> intrinsics.unflatten k n

-- | An array of `k` elements with `vs[i]` at position `is[i]` and `x` elsewhere; as `scatter` into fresh `x`s.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  scatter (intrinsics.replicate k x) is vs

-- | The elements for which `p` holds, in their order.
def filter [n] 'a (p: a -> bool) (as: [n]a) : ?[d].*[d]a = intrinsics.filter p as

-- The elements whose tag is `k`.
local def tagged [n] 'a (k: i32) (tags: [n]i32) (as: [n]a) : []a =
  map (.1) (filter (\(tag, _) -> tag == k) (zip tags as))

-- | The elements for which `p` holds and those for which it does not, both in their order.
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[d].([d]a, [n - d]a) =
  let tags = map (\a -> if p a then 0 else 1) as
  let [d] (xs: [d]a) = tagged 0 tags as
  in (xs, tagged 1 tags as :> [n - d]a)

-- | The elements for which `p1` holds, those of the others for which `p2` holds, and the rest, all in their order.
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a) : ?[d][e].([d]a, [e]a, [n - d - e]a) =
  let tags = map (\a -> if p1 a then 0 else if p2 a then 1 else 2) as
  let [d] (xs: [d]a) = tagged 0 tags as
  let [e] (ys: [e]a) = tagged 1 tags as
  in (xs, ys, tagged 2 tags as :> [n - d - e]a)

-- | Whether `f` holds for every element; true of an empty array.
def all [n] 'a (f: a -> bool) (as: [n]a) : bool = reduce (&&) true (map f as)

-- | Whether `f` holds for some element; false of an empty array.
def any [n] 'a (f: a -> bool) (as: [n]a) : bool = reduce (||) false (map f as)
