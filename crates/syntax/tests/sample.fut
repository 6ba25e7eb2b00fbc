-- | A program with a bit of everything, to be broken by tests.

-- | A vector space over some scalars.
module type space = {
  type scalar
  type^ fn 'a = a -> scalar
  -- | Adds.
  val + : scalar -> scalar -> scalar
  val dot [n] : [n]scalar -> [n]scalar -> scalar
  module inner : {val zero : i32}
  include other with t = (i32, {x: f32})
}

#[inline]
def (<+>) 't [n] (xs: [n]t) (ys: *[n]t): ?[m].[m]t = xs ++ ys

type shape = #circle f32 | #box {w: f32, h: f32} | #none

def area (s: shape): f32 =
  match s
  case #circle r -> f32.pi * r ** 2
  case #box {w, h = hh: f32} -> w * hh
  case _ -> -0x1.8p3f32

module mk (p: space) : {val f : i64 -> i64} = {
  local open p
  import "lib/thing"
  def f (n: i64) =
    let (a, b) = loop (a, b) = (0, 1) for i < n do (b, a + b)
    let g x = x |> map (+ 1) |> reduce (*) 1
    let xs[0] = g (0..2..<n)
    in if a == b && !(a < 3) then xs[1:n:2] with [0] = 'c' else p.(dot xs (.x.0) \y -> y[::-1].0.1)
}

entry main [n] (xs: [n]i32) =
  #[trace(here)] assert (n > 0) (map2 (\x y : i32 -> x `i32.max` y) xs (rotate 1 xs) :> [n]i32, "a\tb", ???)
