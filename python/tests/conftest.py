"""What all tests use."""

import os

import pytest

# How fast programs are does not matter, and the C compiler takes less time.
os.environ.setdefault("CFLAGS", "-O1")

import kenaz

PROGRAM = """\
type point = {x: f32, y: f32}
type line = {from: point, to: point}
type dot = #on i64 | #off
type~ shape = #circle f32 | #polygon ([]f32) | #nothing
module counter : {
  type~ t
  val new : i64 -> t
  val next : t -> t
  val get : t -> (i64, []i64)
} = {
  type~ t = {n: i64, seen: []i64}
  def new n : t = {n, seen = [n]}
  def next (t: t) : t = {n = t.n + 1, seen = t.seen ++ [t.n + 1]}
  def get (t: t) = (t.n, t.seen)
}

-- | Adds two vectors,
-- element by element.
entry add [n] (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (+) xs ys
entry id_i8 (x: i8) (xs: []i8) : (i8, []i8) = (x, xs)
entry id_i16 (x: i16) (xs: []i16) : (i16, []i16) = (x, xs)
entry id_i32 (x: i32) (xs: []i32) : (i32, []i32) = (x, xs)
entry id_i64 (x: i64) (xs: []i64) : (i64, []i64) = (x, xs)
entry id_u8 (x: u8) (xs: []u8) : (u8, []u8) = (x, xs)
entry id_u16 (x: u16) (xs: []u16) : (u16, []u16) = (x, xs)
entry id_u32 (x: u32) (xs: []u32) : (u32, []u32) = (x, xs)
entry id_u64 (x: u64) (xs: []u64) : (u64, []u64) = (x, xs)
entry id_f16 (x: f16) (xs: []f16) : (f16, []f16) = (x, xs)
entry id_f32 (x: f32) (xs: []f32) : (f32, []f32) = (x, xs)
entry id_f64 (x: f64) (xs: []f64) : (f64, []f64) = (x, xs)
entry id_bool (x: bool) (xs: []bool) : (bool, []bool) = (x, xs)
entry negated (xs: []bool) : []bool = map (\\x -> !x) xs
entry turned [n][m] (xss: [n][m]i32) : [m][n]i32 = transpose xss
entry rank3 (xsss: [][][]i64) : i64 = i64.sum (flatten (flatten xsss))
entry bump [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 99
entry twice (xs: []i32) : ([]i32, []i32) = (xs, xs)
entry mirror (p: point) : point = {x = p.y, y = p.x}
entry reversed (l: line) : line = {from = l.to, to = l.from}
entry points [n] (ps: [n]point) : [n]point = map (\\p -> {x = p.y, y = p.x}) ps
entry pairs (ps: [](i32, bool)) : [](bool, i32) = map (\\(i, b) -> (b, i)) ps
entry swap (a: (i32, (bool, f64))) : ((bool, f64), i32) = (a.1, a.0)
entry area (s: shape) : f32 =
  match s case #circle r -> r * r case #polygon ps -> f32.sum ps case #nothing -> -1
entry shape (k: i32) : shape =
  if k == 0 then #circle 1.5 else if k == 1 then #polygon ([1, 2, 3] :> []f32) else #nothing
entry start (n: i64) : counter.t = counter.new n
entry next (t: counter.t) : counter.t = counter.next t
entry seen (t: counter.t) : (i64, []i64) = counter.get t
entry dots (n: i64) : []dot = tabulate n (\\i -> if i % 2 == 0 then #on i else #off)
entry on [n] (ds: [n]dot) : i64 = i64.sum (map (\\d -> match d case #on i -> i case #off -> 0) ds)
entry unit (_: ()) : () = ()
entry divide (x: i32) (y: i32) : i32 = x / y
entry names (lambda: i32) (x': i32) (_: i32) : i32 = lambda * 100 + x' * 10
entry slow (n: i64) : i64 = loop x = 1 for i < n do (x * 3 + i) % 1000003
"""


@pytest.fixture(scope="session", params=["c", "multicore"])
def prog(request):
    return kenaz.compile(source=PROGRAM, backend=request.param, name="all.fut")


@pytest.fixture(scope="session")
def one():
    """For what does not depend on the back end."""
    return kenaz.compile(source=PROGRAM, backend="c", name="all.fut")


@pytest.fixture(scope="session")
def text():
    return PROGRAM


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory):
    """What the C compiler makes goes to a folder of the tests, unless one was chosen."""
    if "KENAZ_CACHE" not in os.environ:
        os.environ["KENAZ_CACHE"] = str(tmp_path_factory.mktemp("cache"))
