//! Calls of small programs on the back ends c and multicore, and on a device where there is one.

use kenaz_base::MemoryFileSystem;
use kenaz_driver::native::FailureKind;
use kenaz_embed::{Arg, Array, Context, Error, Memory, Options, Program, Value};
use kenaz_ir::{Scalar, Target, target};
use kenaz_runtime::Element;
use std::path::Path;
use std::thread;

const PROGRAM: &str = "\
-- | Adds two vectors.
entry add [n] (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (+) xs ys
entry bump [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = xs[0] + 7
entry same [n] (xs: [n]i32) : ([n]i32, [n]i32) = (xs, xs)
entry pick (b: bool) (xs: []i32) : []i32 = if b then xs else map (+ 1) xs
entry powers [n] (k: i64) (xs: [n]i32) : [n]i32 = loop ys = xs for _i < k do map (* 2) ys
def table : []i64 = map (* 3) (iota 5)
entry constant (_: bool) : []i64 = copy table
entry half (x: i32) : i32 = 6 / x
entry transposed [n][m] (xss: [n][m]u8) : [m][n]u8 = transpose xss
entry sizes (a: i8) (b: u16) (c: f16) (d: f64) (e: bool) : (f64, bool, f16, u16, i8) = (d, !e, c, b, a)
";

fn program(target: &'static Target) -> Program {
    let files = MemoryFileSystem::new().with("a.fut", PROGRAM);
    Program::compile(&files, Path::new("a.fut"), target).unwrap()
}

/// A program that runs, for each target of a CPU, and for OpenCL where there is a device.
fn contexts() -> Vec<Context> {
    let mut targets = vec![&target::C, &target::MULTICORE];
    if kenaz_driver::native::device::probe(&target::OPENCL).is_ok() {
        targets.push(&target::OPENCL);
    }
    targets.into_iter().map(|target| program(target).context(&Options::default()).unwrap()).collect()
}

fn call(context: &Context, entry: &str, args: Vec<Arg<'_>>) -> Result<Vec<Value>, Error> {
    let number = context.program().entry_points().iter().position(|point| point.name == entry).unwrap();
    context.call(number, args)
}

fn memory<'m, T: Element>(elements: &'m [T], shape: &[usize]) -> Arg<'m> {
    Arg::Memory(Memory::new(elements, shape).unwrap())
}

fn arrays(values: Vec<Value>) -> Vec<Array> {
    let array = |value| match value {
        Value::Array(array) => array,
        Value::Scalar(scalar) => panic!("{scalar}"),
    };
    values.into_iter().map(array).collect()
}

fn array(context: &Context, entry: &str, args: Vec<Arg<'_>>) -> Array {
    arrays(call(context, entry, args).unwrap()).remove(0)
}

fn elements<T: Element>(array: &Array) -> Vec<T> {
    array.to_vec().unwrap().unwrap()
}

#[test]
fn arrays_go_in_and_out() {
    for context in contexts() {
        let (xs, ys) = ([1.5f32, 2.0, -3.0], [0.5f32, 0.25, 3.0]);
        let sum = array(&context, "add", vec![memory(&xs, &[3]), memory(&ys, &[3])]);
        assert_eq!((sum.shape(), elements::<f32>(&sum)), (&[3][..], vec![2.0, 2.25, 0.0]));
        // A result is an argument, and the same argument may be there twice.
        let twice = array(&context, "add", vec![Arg::Array(&sum), Arg::Array(&sum)]);
        assert_eq!(elements::<f32>(&twice), [4.0, 4.5, 0.0]);
        let turned = array(&context, "transposed", vec![memory(&[1u8, 2, 3, 4, 5, 6], &[2, 3])]);
        assert_eq!((turned.shape(), elements::<u8>(&turned)), (&[3, 2][..], vec![1, 4, 2, 5, 3, 6]));
        let empty = array(&context, "transposed", vec![memory::<u8>(&[], &[0, 3])]);
        assert_eq!((empty.shape(), elements::<u8>(&empty)), (&[3, 0][..], vec![]));
        assert_eq!(
            elements::<i32>(&array(&context, "powers", vec![Arg::Scalar(Scalar::I64(5)), memory(&[3i32], &[1])])),
            [96]
        );
    }
}

#[test]
fn scalars_of_all_widths() {
    let half = half::f16::from_f32(0.1);
    for context in contexts() {
        let args = [Scalar::I8(-7), Scalar::U16(65535), Scalar::F16(half), Scalar::F64(-0.1), Scalar::Bool(true)];
        let results = call(&context, "sizes", args.map(Arg::Scalar).into()).unwrap();
        let scalar = |value| match value {
            Value::Scalar(scalar) => scalar,
            Value::Array(_) => panic!("an array"),
        };
        let results: Vec<Scalar> = results.into_iter().map(scalar).collect();
        let expected = [Scalar::F64(-0.1), Scalar::Bool(false), Scalar::F16(half), Scalar::U16(65535), Scalar::I8(-7)];
        assert_eq!(results, expected);
    }
}

/// Elements of the caller's are neither written nor freed, whatever the program does with them.
#[test]
fn what_is_lent_stays_as_it_is() {
    for context in contexts() {
        let mut xs = vec![1i32, 2, 3];
        for entry in ["bump", "same"] {
            let results = arrays(call(&context, entry, vec![memory(&xs, &[3])]).unwrap());
            assert_eq!(xs, [1, 2, 3], "{entry}");
            let first = if entry == "bump" { 8 } else { 1 };
            results.iter().for_each(|result| assert_eq!(elements::<i32>(result), [first, 2, 3], "{entry}"));
        }
        let same = arrays(call(&context, "same", vec![memory(&xs, &[3])]).unwrap());
        let picked = array(&context, "pick", vec![Arg::Scalar(Scalar::Bool(true)), memory(&xs, &[3])]);
        let looped = array(&context, "powers", vec![Arg::Scalar(Scalar::I64(0)), memory(&xs, &[3])]);
        xs[0] = 50;
        for result in same.iter().chain([&picked, &looped]) {
            assert_eq!(elements::<i32>(result), [1, 2, 3]);
        }
    }
}

/// On a CPU, arguments are read where they are.
#[test]
fn arguments_are_not_copied() {
    let context = program(&target::C).context(&Options::default()).unwrap();
    let xs = vec![1i32; 1 << 20];
    // More calls than there are places for memory that is lent: each is left again.
    for _ in 0..100 {
        let results =
            arrays(call(&context, "pick", vec![Arg::Scalar(Scalar::Bool(false)), memory(&xs, &[xs.len()])]).unwrap());
        assert_ne!(results[0].address(), xs.as_ptr().addr());
    }
    // An array of a context that is its own result is that array: nothing was copied on the way.
    let own = context.array(&xs, &[xs.len()]).unwrap().unwrap();
    let again = array(&context, "pick", vec![Arg::Scalar(Scalar::Bool(true)), Arg::Array(&own)]);
    assert_eq!(own.address(), again.address());
    // An array that is given away is written in place.
    let address = own.address();
    drop(again);
    assert_eq!(array(&context, "bump", vec![Arg::Given(own)]).address(), address);
}

#[test]
fn writing_to_a_result_changes_nothing_else() {
    for context in contexts().into_iter().take(2) {
        let mut first = array(&context, "constant", vec![Arg::Scalar(Scalar::Bool(true))]);
        first.elements_mut::<i64>().unwrap().unwrap()[0] = 99;
        assert_eq!(elements::<i64>(&first), [99, 3, 6, 9, 12]);
        let second = array(&context, "constant", vec![Arg::Scalar(Scalar::Bool(true))]);
        assert_eq!(elements::<i64>(&second), [0, 3, 6, 9, 12]);
        let own = context.array(&[1i32, 2], &[2]).unwrap().unwrap();
        let mut results = arrays(call(&context, "same", vec![Arg::Array(&own)]).unwrap());
        results[0].elements_mut::<i32>().unwrap().unwrap()[0] = 99;
        assert_eq!((elements::<i32>(&results[1]), elements::<i32>(&own)), (vec![1, 2], vec![1, 2]));
    }
}

/// A consumed array that others still have is copied.
#[test]
fn consumed_arrays_stay_whole() {
    for context in contexts() {
        let xs = context.array(&[1i32, 2], &[2]).unwrap().unwrap();
        let [first, second] = <[Array; 2]>::try_from(arrays(call(&context, "same", vec![Arg::Array(&xs)]).unwrap()))
            .map_err(|_| "two results")
            .unwrap();
        assert_eq!(elements::<i32>(&array(&context, "bump", vec![Arg::Array(&xs)])), [8, 2]);
        assert_eq!(elements::<i32>(&array(&context, "bump", vec![Arg::Given(first)])), [8, 2]);
        assert_eq!((elements::<i32>(&xs), elements::<i32>(&second)), (vec![1, 2], vec![1, 2]));
    }
}

#[test]
fn arrays_of_another_context_and_of_a_dropped_one() {
    for target in [&target::C, &target::MULTICORE] {
        let program = program(target);
        let context = program.context(&Options::default()).unwrap();
        let other = program.context(&Options::default()).unwrap();
        let xs = other.array(&[1i32, 2], &[2]).unwrap().unwrap();
        drop((other, program));
        assert_eq!(elements::<i32>(&array(&context, "bump", vec![Arg::Array(&xs)])), [8, 2]);
        let picked = array(&context, "pick", vec![Arg::Scalar(Scalar::Bool(true)), Arg::Array(&xs)]);
        assert_ne!(picked.address(), xs.address());
        drop(context);
        assert_eq!(elements::<i32>(&picked), [1, 2]);
        assert_eq!(elements::<i32>(&array(&picked.context(), "bump", vec![Arg::Given(xs)])), [8, 2]);
    }
}

#[test]
fn failures_are_told_and_lose_nothing() {
    for context in contexts() {
        let error = call(&context, "half", vec![Arg::Scalar(Scalar::I32(0))]).map(|_| ()).unwrap_err();
        let text = error.to_string();
        assert!(matches!(&error, Error::Failed(failure) if failure.kind == FailureKind::Program), "{text}");
        assert!(text.starts_with("Error: ") && text.contains("a.fut:9:"), "{text}");
        let sizes = call(&context, "add", vec![memory(&[1f32], &[1]), memory(&[1f32; 2], &[2])]).map(|_| ());
        assert!(matches!(&sizes, Err(Error::Failed(failure)) if failure.kind == FailureKind::Arguments), "{sizes:?}");
        let results = call(&context, "half", vec![Arg::Scalar(Scalar::I32(3))]).unwrap();
        assert!(matches!(results[..], [Value::Scalar(Scalar::I32(2))]));
    }
}

#[test]
fn what_does_not_suit_is_refused() {
    let context = program(&target::C).context(&Options::default()).unwrap();
    let refused = |entry, args| match call(&context, entry, args) {
        Err(Error::Usage(text)) => text,
        other => panic!("{:?}", other.map(|_| ())),
    };
    assert_eq!(refused("half", vec![]), "`half` takes 1 parts of arguments, and not 0");
    let wrong = "a part of an argument is `i64`, and must be `i32`";
    assert_eq!(refused("half", vec![Arg::Scalar(Scalar::I64(1))]), wrong);
    let wrong = "a part of an argument is `[][]i32`, and must be `[]i32`";
    assert_eq!(refused("same", vec![memory(&[1i32], &[1, 1])]), wrong);
    assert!(context.call(1000, vec![]).is_err());
    assert!(context.array(&[1u8, 2], &[3]).unwrap().is_none());
    for options in [
        Options { threads: Some(2), ..Options::default() },
        Options { threads: Some(0), ..Options::default() },
        Options { device: Some("GPU".to_string()), ..Options::default() },
        Options { tuning: vec![("none".to_string(), 1)], ..Options::default() },
    ] {
        assert!(context.program().context(&options).is_err(), "{options:?}");
    }
}

#[test]
fn programs_that_are_not_right_are_explained() {
    let files = MemoryFileSystem::new().with("b.fut", "entry main (x: i32) = x + y\n");
    let failed = |path: &str| match Program::compile(&files, Path::new(path), &target::C) {
        Err(Error::Rejected(text)) => text,
        other => panic!("{:?}", other.map(|_| ())),
    };
    assert!(failed("b.fut").starts_with("error[unknown-name]: "), "{}", failed("b.fut"));
    assert!(failed("b.fut").contains("1 | entry main (x: i32) = x + y"), "{}", failed("b.fut"));
    assert!(failed("c.fut").contains("c.fut"), "{}", failed("c.fut"));
}

#[test]
fn entry_points_are_described() {
    let program = program(&target::C);
    let add = program.entry_point("add").unwrap();
    assert_eq!(add.entry.doc.as_deref().map(str::trim), Some("Adds two vectors."));
    assert_eq!(add.entry.params[1].name.as_str(), "ys");
    assert!(program.entry_point("bump").unwrap().takes[0].1);
    assert_eq!(program.entry_points().len(), 9);
}

/// There is no limit to how much memory is lent at a time.
#[test]
fn many_arguments() {
    let params: String = (0..100).map(|i| format!(" (x{i}: []i32)")).collect();
    let sum: Vec<String> = (0..100).map(|i| format!("x{i}[0]")).collect();
    let text = format!("entry main{params} : (i32, []i32) = ({}, x99)\n", sum.join(" + "));
    let files = MemoryFileSystem::new().with("a.fut", text);
    let program = Program::compile(&files, Path::new("a.fut"), &target::C).unwrap();
    let context = program.context(&Options::default()).unwrap();
    let elements: Vec<[i32; 1]> = (0..100).map(|i| [i]).collect();
    let results = context.call(0, elements.iter().map(|xs| memory(xs, &[1])).collect()).unwrap();
    assert!(matches!(results[..], [Value::Scalar(Scalar::I32(4950)), _]));
    assert_eq!(self::elements::<i32>(&arrays(results.into_iter().skip(1).collect())[0]), [99]);
}

/// Calls of one context take turns, arrays are dropped meanwhile, and the same memory is lent to several contexts.
#[test]
fn threads() {
    for context in contexts() {
        let other = context.program().context(&Options::default()).unwrap();
        let xs: Vec<i32> = (0..1000).collect();
        thread::scope(|scope| {
            for context in [&context, &context, &other, &other] {
                scope.spawn(|| {
                    let mut before: Option<Array> = None;
                    for k in 0..100 {
                        let b = Arg::Scalar(Scalar::Bool(k % 2 == 0));
                        let result = array(context, "pick", vec![b, memory(&xs, &[1000])]);
                        let expected = if k % 2 == 0 { 999 } else { 1000 };
                        assert_eq!(elements::<i32>(&result)[999], expected);
                        let again = before.replace(result).map(|it| array(context, "bump", vec![Arg::Given(it)]));
                        assert!(again.is_none_or(|it| [7, 8].contains(&elements::<i32>(&it)[0])));
                    }
                });
            }
        });
    }
}
