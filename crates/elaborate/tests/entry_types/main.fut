-- Types of every kind at the border of the program. What the outside sees of them stands in the file beside this one.
import "lib/points"
module l = import "lib/points"

type point = {x: f32, y: f32}
type seen = {b: i32, c: point}
type synonym = seen
type~ lifted = {b: i32, a: []f64, c: point}
type pair = (i32, bool)
type points = (point, seen)
type parens = (((point, i32)))
type inner_parens = {r: ((point, i32)), s: (point)}
type~ exists = ?[n].{a: [n]point}
type nothing = ()
type no_fields = {}
type scalar = i32
type shape = #circle f32 | #square f32 f32
type payloads = #a point | #b (i32, point) | #c [2]point
type four = [4]point
type two_fours = [2]four
type scalars [n] = [n]scalar
type sized [n] = {a: [n]point, p: point}
type sizes [n] [m] = {a: [n]i32, b: [m]i32}
type vec [n] 't = [n]t
type vec_last 't [n] = [n]t
type box 'a = {value: a}
type full_box 'a = {value: a, pt: point, pts: [3]point}
type two 'a 'b = {a: a, b: b}
type in_arrays = {o: [2]seen, q: [2](point, i32), r: [2]{p: point}}

module type abstract = { type t val x: t }
module record: abstract = { type t = {q: i32, p: point} def x = {q = 1i32, p = {x = 1f32, y = 2f32}} }
module tuple: abstract = { type t = (i32, i32) def x = (1i32, 2i32) }
module sum: abstract = { type t = #u | #v i32 def x: t = #u }
module arrays: abstract = { type t = [3]point def x: t = replicate 3 {x = 0, y = 0} }
module plain: { type~ u val f: i32 -> u type s [n] } = { type~ u = []i32 def f (x: i32): u = [x] type s [n] = [n]i32 }
module open_module = { type r = {v: i32} module inner = { type z = {w: i32, p: point} type~ alias = []f32 } }
module param (X: { type t }) = { type pt = {l: X.t} }
module of_i32 = param { type t = i32 }
module of_point = param { type t = point }
open { type opened = {o: point} }
local open { type locally = {o: point} }

entry scalars_in (a: i8) (b: i16) (c: i32) (d: i64) (e: u8) (f: u16) (g: u32) (h: u64) (i: f16) (j: f32) (k: f64) (l: bool): bool =
  a > 0 && b > 0 && c > 0 && d > 0 && e > 0 && f > 0 && g > 0 && h > 0 && i > 0 && j > 0 && k > 0 && l
entry arrays_in [n] (a: [n]f32) (b: [10]f32) (c: [][]i32) (d: [n][n]bool): [n]f32 = map (+ b[0] * f32.i32 c[0, 0] * f32.bool d[0, 0]) a
entry plain_names [n] (a: scalar) (b: scalars [n]) (c: plain.u) (d: plain.s [n]) (e: open_module.inner.alias): (scalars [n], plain.u, plain.s [n]) =
  (map (+ a + i32.f32 e[0]) b, c, d)
entry unique_array [n] (a: *[n]f32): *[n]f32 = a
entry unique_tuple (n: i64): (*[]i32, *[]i32, i64) = (replicate n 0, replicate n 1, n)
entry unique_one (a: *(point, [3]i32)): *(point, [3]i32) = ({x = 1, y = 1}, replicate 3 a.1[0])
entry unique_inside (a: (*[3]i32, i32)): {x: *[3]i32} = {x = a.0}
entry unique_nothing (a: *point): *point = a
entry unique_inferred (n: i64) = (iota n, 1i32, {a = iota n, b = 1i32})
entry named (a: point) (b: seen): point = {x = a.x, y = b.c.x}
entry through_synonym (a: synonym): synonym = a
entry through_lifted (a: lifted): lifted = a
entry fields_in_parens (a: inner_parens): inner_parens = a
entry anonymous (a: {y: i32, x: bool}): {z: i32, a: bool} = {z = a.y, a = a.x}
entry anonymous_deep (a: {p: [3]point, q: [2][3]i32, r: (i32, [2]bool)}) = a
entry tuple_split (a: (i32, bool)): (i32, bool) = a
entry tuple_named (a: pair): pair = a
entry tuple_nested (a: ((i32, bool), f32)): ((i32, bool), f32) = a
entry tuple_of_named (a: points): (points, points) = (a, a)
entry tuple_in_parens (a: (((point)))): (((i32, (point)))) = (1, a)
entry tuple_parens_named (a: parens): parens = a
entry tuple_inferred (a: i32) = (a, a)
entry tuple_long (a: i32): (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, (i32, point)) = (a, a, a, a, a, a, a, a, a, a, (a, {x = 0, y = 0}))
entry tuple_abstract = tuple.x
entry tuple_aliases (a: (scalar, scalars [3], plain.u)) (b: {x: scalar, y: [2](scalars [3])}) (c: [2](scalar, point)) (d: #x scalar | #y (scalars [3])): i32 =
  a.0 + b.x + c[0].0 + match d case #x x -> x case #y y -> y[0]
entry unit (a: ()): () = a
entry unit_named (a: nothing): nothing = a
entry unit_record (a: {}): {} = a
entry unit_record_named (a: no_fields): no_fields = a
entry unit_array (a: [3]()): [3]() = a
entry unit_field (a: [3]{u: (), v: i32}) = a
entry sum_named (a: shape): shape = a
entry sum_anonymous (a: #foo i32 | #bar): #bar | #foo i32 = a
entry sum_payloads (a: payloads): payloads = a
entry sum_arrays (a: #foo ([3]i32) (i32, i32) | #bar point | #baz): i32 = match a case #foo x _ -> x[0] case _ -> 0
entry sum_inferred (a: #foo i32 | #bar) = a
entry array_of_records [n] (a: [n]point): [n]point = a
entry array_two [n] [m] (a: [n][m]point): [n][m]point = a
entry array_anonymous [n] (a: [n]{y: i32, x: bool}): [n](i32, bool) = map (\r -> (r.y, r.x)) a
entry array_of_sums [n] (a: [n]shape) (b: [n](#foo i32 | #bar)): ([n]shape, i64) = (a, length b)
entry array_sum_inferred [n] (a: [n](#foo i32 | #bar)) = a
entry array_abstract (a: [2]record.t) (b: [2]sum.t): ([2]record.t, [2]sum.t) = (a, b)
entry array_synonym (a: four) (b: [2]four) (c: two_fours): two_fours = if a[0].x > c[0, 0].x then b else c
entry array_parens (a: [2]([3]point)) = a[0, 0].x
entry array_inferred (a: [3]point) = a
entry array_fields (a: [2]seen) (b: [2]in_arrays): in_arrays = {o = a, q = b[0].q, r = b[0].r}
entry array_in_array [n] (a: [n][2](i32, [n]point)) = a[0, 0].0
entry abstract_types (a: record.t) (b: tuple.t) (c: sum.t) (d: arrays.t): (record.t, tuple.t, sum.t, arrays.t) = (a, b, c, d)
entry abstract_constant: record.t = record.x
entry modules (a: open_module.r) (b: open_module.inner.z) (c: opened) (d: locally): (open_module.r, open_module.inner.z, opened, locally) = (a, b, c, d)
entry applied_modules (a: of_i32.pt) (b: of_point.pt): (of_i32.pt, of_point.pt) = (a, b)
entry imported (a: lib_point) (b: l.lib_point) (c: l.inner.q): (lib_wrap, l.lib_wrap, inner.q) = ({p = a}, {p = b}, c)
entry sized_types [n] (a: sized [n]) (b: sizes [3] [n]): sized [n] = {a = a.a, p = {x = f32.i32 b.a[0], y = 0}}
entry existential_type (a: exists): exists = a
entry parameters [n] (a: vec [n] f32) (b: vec [n] point) (c: vec_last point [n]): (vec [n] f32, vec [n] point, vec_last point [n]) = (a, b, c)
entry parameters_box (a: box i32) (b: box (*[10]i32)) (c: full_box (box i32)) (d: [2](full_box i32)): (box point, full_box {a: i32}) =
  ({value = c.pt}, {value = {a = a.value + b.value[0] + d[0].value}, pt = c.pt, pts = c.pts})
entry parameters_two (a: two i32 point): two (i32, i32) ([3]i32) = {a = (a.a, 2), b = [1, 2, 3]}
entry existential (n: i64): []i32 = map i32.i64 (iota n)
entry existential_written: ?[n].[n]i32 = [1, 2, 3]
entry existential_tuple: ?[n].([n]i32, [n]point) = ([], [])
entry existential_record: ?[n].{a: [n]point} = {a = []}
entry inferred a = a + 1i32
entry inferred_record (a: point) = {b = a, a = (a, 1i32)}
entry inferred_named (a: point) = a
entry patterns ((a, b): (i32, i32)) ({x, y}: point) (_: i32) ({x = z, y = _}: point) = x + y + z + f32.i32 (a + b)
entry patterns_parens ((a: i32)) ((b): point) ((c: point): point) = f32.i32 a + b.x + c.x
entry patterns_inside ((a: point), b: i32) (#[unused] c: point) = a.x + f32.i32 b + c.x
entry constant: i32 = 3
entry constants: (i32, i32) = (3, 4)
entry from_lambda = \(x: point) -> x.x
entry from_lambda_typed (y: i32): (z: point) -> point -> (f32, i32) = \z p -> (z.x + p.x, y)
