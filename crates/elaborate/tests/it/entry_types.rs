//! What the outside sees of entry points: names and structure of types, and the parts of which values consist.

use kenaz_base::{MemoryFileSystem, Severity, render};
use kenaz_ir::{EntryField, EntryKind, EntryParam, EntryType, Fun, Prog};
use std::path::Path;

fn elaborated(files: &[(&str, &str)]) -> Prog {
    let fs = files.iter().fold(MemoryFileSystem::new(), |fs, (name, text)| fs.with(*name, *text));
    let checked = kenaz_sema::check_file(Path::new(files[0].0), &fs);
    let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
    assert!(errors.is_empty(), "{}", render::concise(&checked.sources, &errors));
    let prog = kenaz_elaborate::elaborate(&checked).unwrap_or_else(|d| panic!("{}", d.message));
    kenaz_ir::check::array(&prog).unwrap_or_else(|e| panic!("{e}"));
    let printed = prog.to_string();
    let parsed = kenaz_ir::parse::prog(&printed).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parsed.to_string(), printed);
    let entries = |prog: &Prog| prog.funs.iter().map(|fun| fun.entry.clone()).collect::<Vec<_>>();
    assert_eq!(entries(&parsed), entries(&prog));
    prog
}

fn entry_line(fun: &Fun) -> Option<String> {
    let entry = fun.entry.as_ref()?;
    let ty = |param: &EntryParam| format!("{}{}", if param.unique { "*" } else { "" }, param.ty.name);
    let params: String = entry.params.iter().map(|param| format!(" ({}: {})", param.name, ty(param))).collect();
    let results: String = entry.results.iter().map(|result| format!(" ({})", ty(result))).collect();
    Some(format!("entry {}{params} ->{results}", fun.name.as_str().trim_start_matches("entry_")))
}

fn type_line(ty: &EntryType) -> Option<String> {
    let fields = |fields: &[EntryField]| {
        let fields: Vec<String> = fields.iter().map(|field| format!("{}: {}", field.name, field.ty.name)).collect();
        format!("{{{}}}", fields.join(", "))
    };
    let what = match &ty.kind {
        EntryKind::Plain(part) if part.rank == 0 => return None,
        EntryKind::Plain(part) => format!("{} {}", part.prim.name(), part.rank),
        EntryKind::Record(fields) if fields.is_empty() => "opaque".to_string(),
        EntryKind::Record(found) => fields(found),
        EntryKind::Sum(sum) => {
            let variants = sum.variants.iter().map(|variant| {
                let payload: String = variant.payload.iter().map(|(ty, _)| format!(" ({})", ty.name)).collect();
                format!("#{}{payload}", variant.name)
            });
            variants.collect::<Vec<_>>().join(" | ")
        }
        EntryKind::Array(array) if array.fields.is_empty() => format!("array {} of {}", array.rank, array.elem.name),
        EntryKind::Array(array) => {
            format!("array {} of {} with {}", array.rank, array.elem.name, fields(&array.fields))
        }
        EntryKind::Opaque(_) => "opaque".to_string(),
    };
    Some(format!("type {} = {what}", ty.name))
}

fn lines(prog: &Prog) -> Vec<String> {
    let types = kenaz_ir::entry::types(prog);
    let mut lines: Vec<String> = prog.funs.iter().filter_map(entry_line).collect();
    lines.extend(types.iter().filter_map(|ty| type_line(ty)));
    lines.sort();
    lines
}

/// The expected lines were made from the manifest that Futhark 0.25.32 writes for the program.
#[test]
fn names_and_structure() {
    let prog = elaborated(&[
        ("main.fut", include_str!("../entry_types/main.fut")),
        ("lib/points.fut", include_str!("../entry_types/lib/points.fut")),
    ]);
    let expected: Vec<&str> = include_str!("../entry_types/main.seen").lines().collect();
    let found = lines(&prog);
    let missing: Vec<&&str> = expected.iter().filter(|line| !found.contains(&line.to_string())).collect();
    let strange: Vec<&String> = found.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    assert!(missing.is_empty() && strange.is_empty(), "missing: {missing:#?}\nstrange: {strange:#?}");
}

/// The parts of the first entry point's parameters, and where the fields of the first one are.
#[track_caller]
fn parts(source: &str, expected: &str, fields: &[std::ops::Range<usize>]) {
    let prog = elaborated(&[("main.fut", source)]);
    let fun = prog.funs.iter().find(|fun| fun.entry.is_some()).unwrap();
    let entry = fun.entry.as_ref().unwrap();
    let shown = |param: &EntryParam| param.ty.parts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(entry.params.iter().map(shown).collect::<Vec<_>>().join(", "), expected);
    assert_eq!(entry.params[0].ty.field_parts(), fields);
}

#[test]
fn parts_of_values() {
    parts(
        "entry f (a: {y: []i32, x: (bool, f16)}) (b: i64) = a.x.0 && b == 1 && a.y[0] == 1",
        "bool f16 []i32, i64",
        &[0..2, 2..3],
    );
    parts("entry f (a: [](i32, [2]bool)) = length a", "[]i32 [][]bool", &[0..1, 1..2]);
    parts("entry f (a: []()) (b: ()) = (length a, b)", "[]bool, ", &[]);
    parts("entry f (a: []{u: (), v: [2]i8}) = length a", "[][]i8", &[0..0, 0..1]);
    parts(
        "entry f (a: #x i32 | #y i32 ([2]bool) | #z ([3]bool)) (b: [2](#x i32 | #y)) = (a, b)",
        "u8 i32 []bool []bool, []u8 []i32",
        &[],
    );
}

/// Variants say where in a value their payload is.
#[test]
fn parts_of_variants() {
    let prog = elaborated(&[("main.fut", "entry f (a: #x i32 f32 | #y (f32, i32) i32 | #z ([3]bool)) = a")]);
    let EntryKind::Sum(sum) = &prog.funs.last().unwrap().entry.as_ref().unwrap().params[0].ty.kind else {
        panic!("not a sum");
    };
    let shown: Vec<String> = sum.parts.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["u8", "i32", "f32", "i32", "[]bool"]);
    let at = |i: usize| sum.variants[i].payload.iter().map(|(_, at)| at.clone()).collect::<Vec<_>>();
    assert_eq!((at(0), at(1), at(2)), (vec![vec![1], vec![2]], vec![vec![2, 1], vec![3]], vec![vec![4]]));
}

/// Types with the same name, or the name of a scalar type, are told apart: the second is called by its structure.
#[test]
fn names_in_use() {
    let prog = elaborated(&[(
        "main.fut",
        "module a = { type point = {x: f32} }
         module b = { type point = {z: i32} }
         module c = { type i8 = {y: i32} }
         open a
         entry f (p: point) (q: (i32, point)) = p.x + q.1.x
         open b
         entry g (p: point) (q: (i32, point)) = p.z + q.1.z
         open c
         entry h (p: i8) (q: [2]i8) = p.y + q[0].y",
    )]);
    assert_eq!(
        lines(&prog).into_iter().filter(|line| line.starts_with("entry")).collect::<Vec<_>>(),
        [
            "entry f (p: point) (q: (i32, point)) -> (f32)",
            "entry g (p: {z: i32}) (q: (i32, {z: i32})) -> (i32)",
            "entry h (p: {y: i32}) (q: []{y: i32}) -> (i32)",
        ]
    );
}

/// What is a function inside consists of what the function needs.
#[test]
fn functions_are_opaque() {
    let prog = elaborated(&[(
        "main.fut",
        "module m: { type^ f val add: i32 -> f val lookup [n]: [n]i32 -> i64 -> f } = {
           type^ f = i32 -> i32
           def add (x: i32): f = (+ x)
           def lookup [n] (xs: [n]i32) (i: i64): f = \\y -> xs[i] + y
         }
         entry add (x: i32): m.f = m.add x
         entry lookup [n] (xs: [n]i32) (i: i64): m.f = m.lookup xs i",
    )]);
    assert_eq!(
        lines(&prog),
        [
            "entry add (x: i32) -> (m.f)",
            "entry lookup (xs: []i32) (i: i64) -> (m.f ')",
            "type []i32 = i32 1",
            "type m.f ' = opaque",
            "type m.f = opaque",
        ]
    );
}
