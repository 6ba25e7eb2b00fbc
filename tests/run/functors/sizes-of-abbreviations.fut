-- Sizes in the body of an abbreviation that is used in its own arguments, through two applications of one parametric module.
-- ==
-- input { 2i64 } output { [[7i64, 8i64, 9i64, 10i64], [7i64, 8i64, 9i64, 10i64]] 24i64 16i64 }

module type grid = {
  type t [n] 'a
  val fill [n] 'a: (s: [n]()) -> a -> t [n] a
  val size [n] 'a: t [n] a -> i64
  val corner [n] 'a: t [n] a -> a
}

module times (K: { val k: i64 }) (G: grid): grid = {
  type t [n] 'a = {inner: G.t [n * K.k] a, here: [n]()}
  def fill [n] 'a (here: [n]()) (x: a): t [n] a =
    {inner = G.fill (replicate (n * K.k) ()) x, here}
  def size [n] 'a (g: t [n] a): i64 = G.size g.inner * K.k + n - n
  def corner [n] 'a (g: t [n] a): a = G.corner g.inner
}

module plain: grid = {
  type t [n] 'a = {xs: [n]a, here: [n]()}
  def fill [n] 'a (here: [n]()) (x: a): t [n] a = {xs = replicate n x, here}
  def size [n] 'a (g: t [n] a): i64 = length g.xs
  def corner [n] 'a (g: t [n] a): a = g.xs[n - 1]
}

module two = times { def k = 2i64 } plain
module four = times { def k = 2i64 } two

entry main (n: i64) =
  let row = map (+ 7) (iota (n * 2))
  let inner = two.fill (replicate n ()) row
  let outer = four.fill (replicate (n + 1) ()) inner
  in ([two.corner (four.corner outer), two.corner inner], four.size outer / 2,
      two.size (four.corner outer) + two.size inner)
