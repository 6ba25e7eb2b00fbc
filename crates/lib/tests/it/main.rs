//! The library as its users have it: calls with every kind of argument and result, and what goes wrong.

use kenaz::{Array, Backend, Context, Error, Kind, Options, Prim, Program, Scalar, Value, View};
use ndarray::{Array2, ArrayD, Axis, array};
use std::thread;

const PROGRAM: &str = "
type point = {x: f32, y: f32}
type shape [n] = #circle f32 | #nothing | #polygon ([n]f32) bool
module type counter = { type t  val start : i64 -> t  val get : t -> i64  val next : t -> t }
module counter : counter = {
  type t = (i64, i64)
  def start n : t = (0, n)
  def next ((count, step): t) : t = (count + step, step)
  def get ((count, _): t) = count
}

-- | The sum of products.
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry turned (m: [][]i32): [][]i32 = transpose m
entry bumped (xs: *[]i32): *[]i32 = xs with [0] = xs[0] + 1
entry both (xs: []i32) (b: bool): ([]i32, bool) = (xs, !b)
entry at (xs: []u8) (i: i64): u8 = xs[i]
entry half (x: f16): f16 = x / 2
entry scalars (a: i8) (b: i16) (c: u16) (d: u32) (e: u64): (i8, i16, u16, u32, u64) = (-a, -b, c + 1, d + 1, e + 1)
entry scaled (p: point) (by: f32): point = {x = p.x * by, y = p.y * by}
type pair = (bool, i32)
entry swapped (p: (i32, bool)): pair = (p.1, p.0)
entry divided (a: i64) (b: i64) = (a / b, a % b)
entry points [n] (xs: [n]f32): [n]point = map (\\x -> {x, y = x + 1}) xs
entry total (ps: []point): f32 = f32.sum (map (\\p -> p.x + p.y) ps)
entry grown [n] (s: shape [n]) (by: f32): shape [n] =
  match s
  case #circle r -> #circle (r + by)
  case #polygon sides closed -> #polygon (map (+ by) sides) (!closed)
  case #nothing -> #nothing
entry many [n] (sides: [n]f32): []shape [n] = [#nothing, #polygon sides true, #circle 1]
entry count [n] (shapes: []shape [n]): i64 = length shapes
entry start (n: i64): counter.t = counter.start n
entry next (c: counter.t): counter.t = counter.next c
entry get (c: counter.t): i64 = counter.get c
entry answer: i32 = 42
";

fn contexts() -> impl Iterator<Item = Context> {
    [Backend::C, Backend::Multicore].into_iter().map(|backend| {
        let program = Program::from_text(PROGRAM, backend).unwrap_or_else(|error| panic!("{error}"));
        program.start().unwrap()
    })
}

fn context() -> Context {
    contexts().next().unwrap()
}

#[test]
fn scalars_of_every_type() {
    for context in contexts() {
        let got: (i8, i16, u16, u32, u64) = context.call("scalars", (1i8, 2i16, 3u16, 4u32, u64::MAX - 1)).unwrap();
        assert_eq!(got, (-1, -2, 4, 5, u64::MAX));
        let half: half::f16 = context.call("half", (half::f16::from_f32(5.0),)).unwrap();
        assert_eq!(half.to_f32(), 2.5);
        assert_eq!(context.call::<_, i32>("answer", ()).unwrap(), 42);
        assert_eq!(context.call::<_, Value>("answer", ()).unwrap().to_scalar(), Some(42i32));
    }
}

#[test]
fn slices_vectors_and_views() {
    for context in contexts() {
        let ys = vec![4.0, 5.0, 6.0];
        assert_eq!(context.call::<_, f64>("dot", (&[1.0, 2.0, 3.0], &ys)).unwrap(), 32.0);
        assert_eq!(context.call::<_, f64>("dot", (&ys[..2], &ys[1..])).unwrap(), 50.0);
        let none: [f64; 0] = [];
        assert_eq!(context.call::<_, f64>("dot", (&none, &none)).unwrap(), 0.0);
        let table = View::new(&[1, 2, 3, 4, 5, 6], [2, 3]);
        let turned: Array = context.call("turned", (table,)).unwrap();
        assert_eq!((turned.shape(), turned.prim(), turned.len()), (&[3, 2][..], Prim::I32, 6));
        assert_eq!(turned.as_slice(), Some(&[1, 4, 2, 5, 3, 6][..]));
        assert_eq!(turned.as_slice::<u32>(), None);
        assert_eq!(turned.to_vec::<u32>().unwrap(), None);
    }
}

/// What is not consumed is passed on without a copy, and what is consumed stays whole for those who still have it.
#[test]
fn arrays_stay_where_they_are() {
    for context in contexts() {
        let xs = context.array(&[1, 2, 3], &[3]).unwrap();
        let (same, flag): (Array, bool) = context.call("both", (&xs, true)).unwrap();
        assert!(!flag);
        assert_eq!(same.as_slice::<i32>().unwrap().as_ptr(), xs.as_slice::<i32>().unwrap().as_ptr());
        let bumped: Vec<i32> = context.call("bumped", (&xs,)).unwrap();
        assert_eq!((bumped, xs.as_slice()), (vec![2, 2, 3], Some(&[1, 2, 3][..])));
        // Nobody else has this one: it is updated where it is.
        let own = context.array(&[7, 5], &[2]).unwrap();
        let before = own.as_slice::<i32>().unwrap().as_ptr();
        let after: Array = context.call("bumped", (own,)).unwrap();
        assert_eq!((after.as_slice::<i32>().unwrap().as_ptr(), after.as_slice()), (before, Some(&[8, 5][..])));
        let mut same = same;
        same.as_mut_slice::<i32>().unwrap().unwrap()[0] = 9;
        assert_eq!((same.as_slice(), xs.as_slice()), (Some(&[9, 2, 3][..]), Some(&[1, 2, 3][..])));
        assert_eq!(format!("{xs:?}"), "Array [3]i32");
    }
}

#[test]
fn arrays_of_ndarray() {
    for context in contexts() {
        let table = array![[1, 2, 3], [4, 5, 6]];
        let turned: Array2<i32> = context.call("turned", (&table,)).unwrap();
        assert_eq!(turned, table.t());
        // Another layout, a view and a part of one.
        assert_eq!(context.call::<_, Array2<i32>>("turned", (&table.t(),)).unwrap(), table);
        let part = table.slice(ndarray::s![.., 1..]);
        assert_eq!(context.call::<_, ArrayD<i32>>("turned", (&part,)).unwrap(), part.t().into_dyn());
        let row = table.index_axis(Axis(0), 1).mapv(f64::from);
        assert_eq!(context.call::<_, f64>("dot", (&row, &row)).unwrap(), 77.0);
        let kept: Array = context.call("turned", (&table,)).unwrap();
        assert_eq!(kept.view::<i32>().unwrap(), table.t().into_dyn());
        assert!(kept.view::<f32>().is_none());
        let wrong = context.call::<_, ndarray::Array3<i32>>("turned", (&table,)).unwrap_err();
        assert_eq!(wrong.to_string(), "`turned`: the result is of type `[][]i32`, and not `[][][]i32`");
    }
}

#[test]
fn records_and_tuples() {
    for context in contexts() {
        let point = Value::record([("y", 2f32.into()), ("x", 1f32.into())]);
        let scaled: Value = context.call("scaled", (&point, 3f32)).unwrap();
        let field = |name: &str| scaled.field(name).and_then(Value::to_scalar::<f32>);
        assert_eq!((field("x"), field("y"), field("z")), (Some(3.0), Some(6.0), None));
        let again: Value = context.call("scaled", (scaled, 2f32)).unwrap();
        assert_eq!(again.field("x").and_then(Value::to_scalar::<f32>), Some(6.0));
        let swapped: Value = context.call("swapped", (Value::tuple([7i32.into(), true.into()]),)).unwrap();
        assert_eq!(swapped.field("0").and_then(Value::to_scalar::<bool>), Some(true));
        assert_eq!(swapped.field("1").and_then(Value::to_scalar::<i32>), Some(7));
        assert_eq!(context.call::<_, (i64, i64)>("divided", (17i64, 5i64)).unwrap(), (3, 2));
    }
}

/// An array of records is the record of the arrays of its fields.
#[test]
fn arrays_of_records() {
    for context in contexts() {
        let points: Value = context.call("points", (&[1f32, 2.0],)).unwrap();
        assert_eq!(points.field("y").unwrap().as_array().unwrap().as_slice(), Some(&[2f32, 3.0][..]));
        assert_eq!(context.call::<_, f32>("total", (&points,)).unwrap(), 8.0);
        let made = |xs: &[f32]| Value::from(context.array(xs, &[xs.len()]).unwrap());
        let own = Value::record([("x", made(&[1.0])), ("y", made(&[10.0]))]);
        assert_eq!(context.call::<_, f32>("total", (own,)).unwrap(), 11.0);
        let ragged = Value::record([("x", made(&[1.0])), ("y", made(&[10.0, 11.0]))]);
        assert!(matches!(context.call::<_, f32>("total", (ragged,)), Err(Error::Run(_))));
    }
}

#[test]
fn sums_and_opaque_values() {
    for context in contexts() {
        let grown = |value: Value| context.call::<_, Value>("grown", (value, 1f32)).unwrap();
        let Value::Variant { name, payload } = grown(Value::variant("circle", [2f32.into()])) else { panic!() };
        assert_eq!((name.as_str(), payload[0].to_scalar()), ("circle", Some(3f32)));
        assert!(matches!(grown(Value::variant("nothing", [])), Value::Variant { name, .. } if name == "nothing"));
        let sides = context.array(&[1f32, 2.0], &[2]).unwrap();
        let polygon = grown(Value::variant("polygon", [sides.into(), true.into()]));
        let Value::Variant { name, payload } = &polygon else { panic!() };
        assert_eq!((name.as_str(), payload[1].to_scalar()), ("polygon", Some(false)));
        assert_eq!(payload[0].as_array().unwrap().as_slice(), Some(&[2f32, 3.0][..]));

        let many: Value = context.call("many", (&[1f32, 2.0],)).unwrap();
        let Value::Opaque(opaque) = &many else { panic!("{many:?}") };
        assert_eq!(opaque.type_name(), "[]shape");
        assert_eq!(context.call::<_, i64>("count", (&many,)).unwrap(), 3);

        let start: Value = context.call("start", (4i64,)).unwrap();
        let next: Value = context.call("next", (&start,)).unwrap();
        let next: Value = context.call("next", (next,)).unwrap();
        assert_eq!(context.call::<_, i64>("get", (next,)).unwrap(), 8);
        assert_eq!(context.call::<_, i64>("get", (&[start][..],).0).unwrap(), 0);
    }
}

#[test]
fn what_does_not_suit_is_named() {
    let context = context();
    let said = |result: Result<Value, Error>| match result {
        Err(Error::Type(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let call = |name, arguments: Vec<Value>| said(context.call(name, arguments));
    assert_eq!(
        said(context.call("dot", (&[1f64], &[2f32]))),
        "`dot`: the parameter `ys` is of type `[]f64`, and not `[]f32`"
    );
    assert_eq!(
        said(context.call("dot", (&[1f64], View::new(&[2f64], [1, 1])))),
        "`dot`: the parameter `ys` is of type `[]f64`, and not `[][]f64`"
    );
    assert_eq!(
        said(context.call("turned", (View::new(&[1, 2, 3], [2, 2]),))),
        "`turned`: the parameter `m` is of type `[][]i32`, and not 3 elements in the shape [2, 2]"
    );
    assert_eq!(
        said(context.call("dot", (&[1f64],))),
        "`dot`: what it takes is of type `(xs: []f64) (ys: []f64)`, and not 1 arguments"
    );
    assert_eq!(call("answer", vec![1i32.into()]), "`answer`: what it takes is of type `()`, and not 1 arguments");
    let wrong = |value: Value, end: &str| {
        let said = call("scaled", vec![value, 1f32.into()]);
        assert_eq!(said, format!("`scaled`: the parameter `p` is of type `point`, and not {end}"));
    };
    wrong(1f32.into(), "`f32`");
    wrong(Value::record([("x", 1f32.into())]), "a record without the field `y`");
    wrong(Value::record([("x", 1f32.into()), ("y", 1f64.into())]), "`f64` in `y`");
    let more = [("x", 1f32.into()), ("y", 1f32.into()), ("z", 1f32.into())];
    wrong(Value::record(more), "a record with the field `z`");
    wrong(Value::tuple([1f32.into(), 1f32.into()]), "a tuple of 2");
    let wrong = |value: Value, end: &str| {
        let said = call("grown", vec![value, 1f32.into()]);
        assert_eq!(said, format!("`grown`: the parameter `s` is of type `shape`, and not {end}"));
    };
    wrong(Value::variant("square", []), "`#square`");
    wrong(Value::variant("circle", []), "`#circle` with 0 values instead of 1");
    wrong(Value::variant("circle", [1i32.into()]), "`i32` in `#circle`");
    let opaque: Value = context.call("many", (&[1f32],)).unwrap();
    assert!(call("get", vec![opaque]).ends_with("is of type `counter.t`, and not `[]shape`"));

    let wanted = context.call::<_, f32>("dot", (&[1f64], &[2f64])).unwrap_err();
    assert_eq!(wanted.to_string(), "`dot`: the result is of type `f64`, and not `f32`");
    let wanted = context.call::<_, (Array, i32)>("both", (&[1], true)).unwrap_err();
    assert_eq!(wanted.to_string(), "`both`: result 2 is of type `bool`, and not `i32`");
    let wanted = context.call::<_, Array>("both", (&[1], true)).unwrap_err();
    assert_eq!(wanted.to_string(), "`both`: what it gives is of type `([]i32, bool)`, and not one result");
    let none = context.call::<_, Value>("none", ()).unwrap_err().to_string();
    assert!(none.starts_with("there is no entry point `none`; there are: ") && none.contains("dot, "), "{none}");
    assert!(matches!(context.array(&[1, 2], &[3]), Err(Error::Usage(_))));
}

#[test]
fn programs_that_fail() {
    for context in contexts() {
        let Err(Error::Run(error)) = context.call::<_, u8>("at", (&[1u8, 2], 2i64)) else { panic!() };
        assert!(error.to_string().contains("Index [2] out of bounds for array of shape [2]."), "{error}");
        assert!(!error.is_about_arguments());
        let Err(Error::Run(error)) = context.call::<_, f64>("dot", (&[1f64], &[1f64, 2.0])) else { panic!() };
        assert!(error.is_about_arguments(), "{error}");
        assert_eq!(context.call::<_, u8>("at", (&[1u8, 2], 1i64)).unwrap(), 2);
    }
}

#[test]
fn programs_that_are_not_right() {
    let Err(Error::Compile(error)) = Program::from_text("entry main (x: i32) =\n  x + yy\n", Backend::C) else {
        panic!()
    };
    let [diagnostic] = &error.diagnostics[..] else { panic!("{error:?}") };
    assert_eq!((diagnostic.id, diagnostic.line, diagnostic.column), ("unknown-name", 2, 7));
    assert_eq!(diagnostic.path.to_str(), Some("program.fut"));
    assert!(error.to_string().contains("2 |   x + yy\n"), "{error}");
    assert!(matches!(Program::compile("no-such-file.fut", Backend::C), Err(Error::Compile(_))));
}

#[test]
fn entry_points_have_types() {
    let program = context().program().clone();
    let points: Vec<_> = program.entry_points().collect();
    let point = |name: &str| points.iter().find(|point| point.name == name).unwrap();
    let dot = point("dot");
    assert_eq!(dot.doc.as_deref().map(str::trim), Some("The sum of products."));
    assert_eq!((dot.params[1].name.as_str(), dot.params[1].ty.to_string().as_str()), ("ys", "[]f64"));
    assert_eq!(dot.params[0].ty.kind(), Kind::Array { prim: Prim::F64, rank: 1 });
    assert_eq!((dot.results[0].kind(), point("bumped").params[0].is_consumed), (Kind::Scalar(Prim::F64), true));
    let Kind::Record(fields) = point("scaled").results[0].kind() else { panic!() };
    assert_eq!(fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    let Kind::Sum(variants) = point("grown").params[0].ty.kind() else { panic!() };
    let names = variants.iter().map(|variant| (variant.name.as_str(), variant.payload.len()));
    assert_eq!(names.collect::<Vec<_>>(), [("circle", 1), ("nothing", 0), ("polygon", 2)]);
    let Kind::ArrayOf { element, rank: 1 } = point("many").results[0].kind() else { panic!() };
    assert_eq!(element.to_string(), "shape");
    assert!(matches!(point("swapped").params[0].ty.kind(), Kind::Tuple(types) if types.len() == 2));
}

/// Everything can be sent to and used by other threads, and results outlive their contexts.
#[test]
fn threads() {
    fn usable<T: Send + Sync>(_: &T) {}
    let program = Program::from_text(PROGRAM, Backend::Multicore).unwrap();
    let options = Options { threads: Some(2), ..Options::default() };
    let context = program.start_with(&options).unwrap();
    let bumped = context.function("bumped").unwrap();
    let array: Array = bumped.call((&[1, 2],)).unwrap();
    usable(&(&program, &context, &bumped, &array, Value::Scalar(Scalar::I8(1))));
    let results: Vec<Array> = thread::scope(|scope| {
        let start = |k: i32| {
            let (bumped, own) = (bumped.clone(), program.start().unwrap());
            scope.spawn(move || {
                let mut array: Array = bumped.call((&[k, k],)).unwrap();
                for _ in 0..50 {
                    array = bumped.call((array,)).unwrap();
                }
                own.call::<_, Array>("bumped", (array,)).unwrap()
            })
        };
        let threads: Vec<_> = (0..4).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    drop((context, bumped, program));
    for (k, result) in (0..).zip(&results) {
        assert_eq!(result.as_slice::<i32>(), Some(&[k + 52, k][..]));
    }
}

/// On a device, where there is one: arrays stay there, and are copied when somebody wants to see them.
#[test]
fn on_a_device() {
    let context = match Program::from_text(PROGRAM, Backend::OpenCl).and_then(|program| program.start()) {
        Ok(context) => context,
        Err(Error::Run(_)) => return,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(context.call::<_, f64>("dot", (&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])).unwrap(), 32.0);
    let table = context.array(&[1, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let turned: Array = context.call("turned", (&table,)).unwrap();
    assert!(turned.is_on_device() && turned.as_slice::<i32>().is_none());
    assert_eq!((turned.shape(), turned.to_vec().unwrap()), (&[3, 2][..], Some(vec![1, 4, 2, 5, 3, 6])));
    let again: Array2<i32> = context.call("turned", (turned,)).unwrap();
    assert_eq!(again, array![[1, 2, 3], [4, 5, 6]]);
    let xs = context.array(&[1, 2], &[2]).unwrap();
    assert_eq!(context.call::<_, Vec<i32>>("bumped", (&xs,)).unwrap(), [2, 2]);
    assert_eq!(xs.to_vec().unwrap(), Some(vec![1, 2]));
    assert_eq!(context.call::<_, Vec<i32>>("bumped", (xs,)).unwrap(), [2, 2]);
    let points: Value = context.call("points", (&[1f32, 2.0],)).unwrap();
    assert_eq!(context.call::<_, f32>("total", (&points,)).unwrap(), 8.0);
    let grown: Value = context.call("grown", (Value::variant("circle", [2f32.into()]), 1f32)).unwrap();
    assert!(matches!(grown, Value::Variant { payload, .. } if payload[0].to_scalar() == Some(3f32)));
    let Err(Error::Run(error)) = context.call::<_, u8>("at", (&[1u8, 2], 2i64)) else { panic!() };
    assert!(error.to_string().contains("Index [2] out of bounds for array of shape [2]."), "{error}");
}
