//! Attributes about what runs in parallel: that they are obeyed wherever they are written, that nothing else is, and
//! that those which `kenaz ir --strategies` shows say what is done without them.

use kenaz_base::{FileSystem, MemoryFileSystem, RealFileSystem};
use kenaz_cli::ir::list;
use kenaz_driver::strategies::{Loop, Strategies, loops};
use kenaz_driver::{Compiler, pipelines};
use kenaz_ir::{Level, Log, Ownership, PassCx, Prog, Stage, Target, target};
use kenaz_testing::Spec;
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};

/// A program in the parallel stage for several cores, with what the passes said.
#[track_caller]
fn scheduled(path: &Path, files: &dyn FileSystem) -> (Prog, Log) {
    let mut compiler = Compiler::new(files, &target::MULTICORE);
    compiler.settings.check_passes = true;
    let scheduled = compiler.to(path, Stage::Parallel).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (scheduled.prog, scheduled.report.log)
}

/// A program with one file.
fn file(text: &str) -> MemoryFileSystem {
    MemoryFileSystem::new().with("a.fut", text)
}

fn strategies(path: &Path, files: &dyn FileSystem) -> Strategies {
    let found = Strategies::of(&Compiler::new(files, &target::MULTICORE), path, true);
    found.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file that has another text than on disk.
struct Instead<'a>(&'a Path, String);

impl FileSystem for Instead<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.clone().into_bytes()) } else { RealFileSystem.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        RealFileSystem.exists(path)
    }
}

/// How the loops of a program run, each as `scan: cores` or `map: sequence`, in the order of the program.
#[track_caller]
fn runs(text: &str) -> Vec<String> {
    let (prog, log) = scheduled(Path::new("a.fut"), &file(text));
    let all = loops(&prog, &log);
    all.iter()
        .map(|l| format!("{}: {}", l.what, if l.level == Some(Level::Core) { "cores" } else { "sequence" }))
        .collect()
}

/// The same for the body of an entry point; definitions come before.
#[track_caller]
fn runs_in(defs: &str, body: &str) -> Vec<String> {
    runs(&format!("{defs}\nentry main [n] [m] (xss: [n][m]f32) (ys: [n]f32) (is: [n]i64) (c: bool) =\n  {body}\n"))
}

#[track_caller]
fn expect(body: &str, expected: &[&str]) {
    assert_eq!(runs_in("", body), expected, "{body}");
}

#[test]
fn single_operators() {
    for (operator, what) in [
        ("map f32.sqrt ys", "map"),
        ("reduce (+) 0 ys", "reduction"),
        ("scan (+) 0 ys", "scan"),
        ("filter (> 0) ys", "filter"),
        ("scatter (copy ys) is ys", "scatter"),
        ("hist (+) 0 n is ys", "histogram"),
        ("f32.sum ys", "reduction"),
        ("ys |> map f32.sqrt", "map"),
        ("(ys |> map f32.sqrt |> scan (+) 0)", "scan"),
    ] {
        for (attribute, how) in [
            ("", "cores"),
            ("#[sequential]", "sequence"),
            ("#[sequential_outer]", "sequence"),
            ("#[sequential_inner]", "cores"),
        ] {
            expect(&format!("{attribute} {operator}"), &[&format!("{what}: {how}")]);
        }
    }
}

#[test]
fn nests() {
    for (attribute, outer, inner) in [
        ("", "cores", "cores"),
        ("#[sequential]", "sequence", "sequence"),
        ("#[sequential_outer]", "sequence", "cores"),
        ("#[sequential_inner]", "cores", "sequence"),
        ("#[sequential_outer] #[sequential_inner]", "sequence", "sequence"),
    ] {
        let expected = [&*format!("map: {outer}"), &*format!("reduction: {inner}")];
        expect(&format!("{attribute} map (\\xs -> reduce (+) 0 xs) xss"), &expected);
        expect(&format!("{attribute} (map (\\xs -> reduce (+) 0 xs) xss)"), &expected);
        expect(&format!("xss |> ({attribute} map (\\xs -> reduce (+) 0 xs))"), &["map: cores", "reduction: cores"]);
        expect(&format!("{attribute} (xss |> map (\\xs -> reduce (+) 0 xs))"), &expected);
        // In branches.
        let branches = [expected, expected].concat();
        expect(&format!("{attribute} if c then map (reduce (+) 0) xss else map (reduce f32.max 1) xss"), &branches);
        // What a function does at its top.
        let f = "def f [n] [m] (xss: [n][m]f32) = map (\\xs -> reduce (+) 0 xs) xss";
        assert_eq!(runs_in(f, &format!("{attribute} f xss")), expected, "{attribute}");
        let if_then =
            "def f [n] [m] (c: bool) (xss: [n][m]f32) = if c then map (reduce (+) 0) xss else map (reduce (*) 1) xss";
        assert_eq!(runs_in(if_then, &format!("{attribute} f c xss")), branches, "{attribute}");
    }
    expect("map (\\xs -> #[sequential] reduce (+) 0 xs) xss", &["map: cores", "reduction: sequence"]);
}

/// A function that is called and stays one has a copy for calls with attributes.
#[test]
fn calls_that_stay_calls() {
    let f = "#[noinline] def f [n] [m] (xss: [n][m]f32) = map (\\xs -> reduce (+) 0 xs) xss\n\
             #[noinline] def g [n] [m] (xss: [n][m]f32) = f xss";
    let (cores, sequence) = (["map: cores", "reduction: cores"], ["map: sequence", "reduction: sequence"]);
    for callee in ["f", "g"] {
        assert_eq!(runs_in(f, &format!("{callee} xss")), cores);
        assert_eq!(runs_in(f, &format!("#[sequential] {callee} xss")), sequence, "{callee}");
        let both = format!("({callee} xss, #[sequential] {callee} (xss ++ xss))");
        let mut found = runs_in(f, &both);
        found.sort();
        assert_eq!(found, ["map: cores", "map: sequence", "reduction: cores", "reduction: sequence"], "{callee}");
    }
    assert_eq!(runs_in(f, "#[sequential_outer] f xss"), ["map: sequence", "reduction: cores"]);
    assert_eq!(runs_in(f, "#[sequential_inner] f xss"), ["map: cores", "reduction: sequence"]);
    // From a loop that is to run in sequence, while others call the function as it is.
    let mut found = runs_in(
        &format!("{f}\n#[noinline] def h [k] (zs: [k]f32) = f32.sum zs"),
        "(#[sequential] map (\\xs -> h xs + 1) xss, h ys)",
    );
    found.sort();
    assert_eq!(found, ["map: sequence", "reduction: cores", "reduction: sequence"]);
}

#[test]
fn loops_of_the_user() {
    let text = |attribute: &str| format!("{attribute} loop zs = ys for i < 10 do scan (+) (f32.i64 i) zs");
    for (attribute, how) in [
        ("", "cores"),
        ("#[sequential]", "sequence"),
        ("#[sequential_inner]", "sequence"),
        ("#[sequential_outer]", "cores"),
    ] {
        expect(&text(attribute), &[&format!("scan: {how}")]);
    }
    expect("loop zs = ys for i < 10 do #[sequential] scan (+) (f32.i64 i) zs", &["scan: sequence"]);
}

/// An attribute is about the operator that makes the value, not about others in the expression.
#[test]
fn others_are_not_meant() {
    let (last, first) = (["scan: cores", "scan: sequence"], ["scan: sequence", "scan: cores"]);
    expect("#[sequential] scan (+) 0 (scan (*) 1 ys)", &last);
    expect("#[sequential] ys |> scan (*) 1 |> scan (+) 0", &last);
    expect("#[sequential] (let zs = scan (*) 1 ys in scan (+) 0 zs)", &last);
    expect("scan (+) 0 (#[sequential] scan (*) 1 ys)", &first);
    expect("(#[sequential] ys |> scan (*) 1) |> scan (+) 0", &first);
    expect("let zs = #[sequential] scan (*) 1 ys in scan (+) 0 zs", &first);
    // Side by side they would be one loop, as they are without.
    expect("(#[sequential] scan (*) 1 ys, scan (+) 0 ys)", &first);
    expect("(scan (*) 1 ys, scan (+) 0 ys)", &["scan: cores"]);
    expect("(#[sequential] scan (*) 1 ys, #[sequential] scan (+) 0 ys)", &["scan: sequence"]);
    // Others need the rows that are summed.
    expect(
        "let zs = map (\\xs -> reduce (+) 0 xs) xss in (zs, #[sequential] reduce f32.max 0 zs)",
        &["map: cores", "reduction: cores", "reduction: sequence"],
    );
    // The same value twice.
    expect("(scan (*) 1 ys, #[sequential] scan (*) 1 ys)", &["scan: cores", "scan: sequence"]);
}

/// What becomes part of a loop that is to run in sequence does so, whichever of them the attribute is about.
#[test]
fn fused_operators() {
    for body in [
        "#[sequential] reduce (+) 0 (map f32.sqrt ys)",
        "reduce (+) 0 (#[sequential] map f32.sqrt ys)",
        "#[sequential] map f32.sqrt ys |> reduce (+) 0",
        "#[sequential] f32.sum (map f32.sqrt ys)",
    ] {
        expect(body, &["reduction: sequence"]);
    }
    expect("#[sequential] map f32.exp (map f32.sqrt (map f32.abs ys))", &["map: sequence"]);
    expect("map f32.exp (map f32.sqrt (#[sequential] map f32.abs ys))", &["map: sequence"]);
    expect("map f32.exp (#[sequential] scan (+) 0 ys)", &["scan: sequence"]);
    expect("filter (> 0) (#[sequential] map f32.abs ys)", &["filter: sequence"]);
}

/// A call is all that the function does, whether its body is put in the place of the call early, late or not at all.
#[test]
fn functions_with_several_operators() {
    let norm = "norm [n] (ys: [n]f32) = let zs = scan (+) 0 ys let s = scan (*) 1 zs in scan f32.max 0 s";
    for def in ["def", "#[noinline] def"] {
        let def = format!("{def} {norm}");
        assert_eq!(runs_in(&def, "#[sequential] norm ys"), ["scan: sequence"; 3], "{def}");
        let found = runs_in(&def, "#[sequential] norm (norm ys)");
        let count = |what: &str| found.iter().filter(|found| *found == what).count();
        assert_eq!((count("scan: sequence"), count("scan: cores")), (3, 3), "{def}: {found:?}");
    }
    let large = format!("def {norm}\ndef more [n] (ys: [n]f32) = norm (norm (norm ys))");
    assert_eq!(runs_in(&large, "(more ys, #[sequential] more (map f32.sqrt ys)).1"), ["scan: sequence"; 9]);
    expect("#[sequential] partition (> 0) ys", &["filter: sequence"; 2]);
    expect("#[sequential] partition (> 0) (scan (+) 0 ys)", &["scan: cores", "filter: sequence", "filter: sequence"]);
}

/// A nest that is flattened becomes one loop, unless its loops are to run in different ways.
#[test]
fn flattened_nests() {
    let body = |outer: &str, inner: &str| {
        format!("flatten ({outer} map (\\xs -> {inner} map f32.sqrt xs) xss) |> map f32.exp |> map (* 2)")
    };
    expect(&body("", ""), &["map: cores"]);
    expect(&body("#[sequential]", ""), &["map: sequence"]);
    expect(&body("#[sequential_inner]", ""), &["map: cores"]);
    assert_eq!(runs_in("", &body("#[sequential_outer]", ""))[..2], ["map: sequence", "map: cores"]);
    assert_eq!(runs_in("", &body("", "#[sequential]"))[..2], ["map: cores", "map: sequence"]);
}

/// What does not change in a loop leaves it, and takes its attribute with it.
#[test]
fn moved_operators() {
    expect(
        "map (\\xs -> map (/ (#[sequential] reduce (+) 0 ys)) xs) xss",
        &["reduction: sequence", "map: cores", "map: cores"],
    );
    let f = "def f [n] (ys: [n]f32) = #[sequential] scan (+) 0 ys";
    assert_eq!(runs_in(f, "(f ys, map (\\xs -> f xs) xss)"), ["scan: sequence", "map: cores", "scan: sequence"]);
}

/// How many loops of the user there are after all passes.
#[track_caller]
fn loops_left(body: &str) -> usize {
    let text = format!("entry main (n: i64) (x: i64): i64 =\n  {body}\n");
    scheduled(Path::new("a.fut"), &file(&text)).0.to_string().matches(" loop (").count()
}

#[test]
fn unrolled_loops() {
    let inner = "loop y = x for j < n do y * y + j";
    assert_eq!(loops_left("#[unroll] loop x for i < 3 do x * x + i"), 0);
    assert_eq!(loops_left("loop x for i < 3 do x * x + i"), 1);
    assert_eq!(loops_left(&format!("#[unroll] loop x for i < 3 do ({inner}) + i")), 3);
    assert_eq!(loops_left("loop x for i < n do #[unroll] loop y = x for j < 4 do y * y + j"), 1);
    assert_eq!(loops_left("let f (k: i64) = #[unroll] loop x for i < k do x * x + i in f 5"), 0);
    assert_eq!(loops_left("#[unroll] ((loop x for i < 3 do x * x + i))"), 0);
    assert_eq!(loops_left("(#[unroll] loop x for i < 3 do x * x + i) |> (\\x -> loop x for i < 2 do x * x - i)"), 1);
}

/// The loops of a program at the memory stage for a target, each with its level, in the order of the program.
#[track_caller]
fn levels(target: &'static Target, body: &str) -> Vec<String> {
    let entry = "entry main [n] [m] (xss: [n][m]f32) (ys: [n]f32) (is: [n]i64) (c: bool) =";
    let files = file(&format!("{entry}\n  {body}\n"));
    let mut compiler = Compiler::new(&files, target);
    compiler.settings.check_passes = true;
    let placed = compiler.to(Path::new("a.fut"), Stage::Memory(Ownership::Settled));
    let placed = placed.unwrap_or_else(|error| panic!("{body}\n{error}"));
    let level = |l: &Loop| l.level.map_or("sequence".to_string(), |level| level.to_string());
    loops(&placed.prog, &placed.report.log).iter().map(|l| format!("{}: {}", l.what, level(l))).collect()
}

/// A pinned operator runs at its level and at no other, alone.
#[test]
fn pinned_operators_stay() {
    for (target, level) in
        [(&target::MULTICORE, "core"), (&target::OPENCL, "grid"), (&target::OPENCL, "block"), (&target::C, "simd")]
    {
        let expect = |body: &str, expected: &[&str]| {
            let body = body.replace('@', &format!("#[{level}]"));
            let expected: Vec<String> = expected.iter().map(|l| l.replace('@', level)).collect();
            assert_eq!(levels(target, &body), expected, "{body} for {}", target.name);
        };
        // Neither fused before nor behind, nor with a neighbour.
        let other = match target.levels.first() {
            None => "sequence".to_string(),
            Some(level) => level.to_string(),
        };
        let map = format!("map: {other}");
        expect("@ map (* 2) (map f32.sqrt ys)", &[&map, "map: @"]);
        expect("map (* 2) (@ map f32.sqrt ys)", &["map: @", &map]);
        expect("(@ map (* 2) ys, map f32.sqrt ys)", &["map: @", &map]);
        // Not merged with an equal one, and not taken for a copy or a constant.
        expect("(@ map (* 2) ys, @ map (* 2) ys)", &["map: @", "map: @"]);
        expect("@ map (\\x -> x) ys", &["map: @"]);
        expect("@ map (\\_ -> 1f32) ys", &["map: @"]);
        // A source is computed where it is read.
        expect("@ map (* 2) (#[source] map f32.sqrt ys)", &["map: @"]);
    }
}

/// What stands around a pinned operator makes room for it.
#[test]
fn levels_inside_of_operators_without_one() {
    let (grid, block) = (["map: sequence", "map: grid"], ["map: sequence", "map: block"]);
    assert_eq!(levels(&target::OPENCL, "map (\\xs -> #[grid] map (* 2) xs) xss"), grid);
    assert_eq!(levels(&target::OPENCL, "map (\\xs -> #[block] map (* 2) xs) xss"), block);
    let inner = "reduce (+) 0 (map (\\xs -> #[core] reduce (+) 0 xs) xss)";
    assert_eq!(levels(&target::MULTICORE, inner), ["reduction: sequence", "reduction: core"]);
    // A nest is not made one, and has no versions.
    let nest = "#[grid] map (\\xs -> map (* 2) xs) xss";
    assert_eq!(levels(&target::OPENCL, nest), ["map: grid", "map: sequence"]);
    let lanes = "#[block] map (\\xs -> #[lane] scan (+) 0 xs) xss";
    assert_eq!(levels(&target::OPENCL, lanes), ["map: block", "scan: lane"]);
}

/// The C of a program for one core.
fn c_of(body: &str) -> String {
    let files = file(&format!("entry main [n] (xs: [n]f32) (ys: [n]f32) =\n  {body}\n"));
    let memory = Stage::Memory(Ownership::Settled);
    let compiled = Compiler::new(&files, &target::C).to(Path::new("a.fut"), memory).unwrap();
    compiled.emit(kenaz_driver::Artefact::Module).text
}

/// The dot product of [dpia] §6.3: naive, in tiles and in vectors.
#[test]
fn dot_products() {
    let has_lanes = |body: &str, width: usize| c_of(body).contains(&format!("[{width}]"));
    let naive = "#[sequential] reduce (+) 0 (map2 (*) xs ys)";
    assert!(![2, 4, 8, 16, 32].into_iter().any(|width| has_lanes(naive, width)), "{}", c_of(naive));
    let vectorised = "#[vector(8)] reduce (+) 0 (map2 (*) xs ys)";
    assert!(has_lanes(vectorised, 8) && !has_lanes(vectorised, 32), "{}", c_of(vectorised));
    let pinned = "#[simd(4)] reduce (+) 0 (#[source] map2 (*) xs ys)";
    assert!(has_lanes(pinned, 4) && !has_lanes(pinned, 8), "{}", c_of(pinned));
    let tiled = "#[sequential] reduce (+) 0 (#[sequential] map (\\zs -> #[vector(8)] reduce (+) 0 (map (\\(x, y) -> x * y) zs))\n\
                 (unflatten (zip xs ys :> [(n / 64) * 64](f32, f32))))";
    assert!(has_lanes(tiled, 8), "{}", c_of(tiled));
}

/// What runs in sequence is not split into chunks later, whatever becomes of its loops; all else is.
#[test]
fn no_chunks_where_nothing_is_to_run_in_parallel() {
    let chunks = |attribute: &str| {
        let text = format!(
            "entry main [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): ([n][k]f32, [k][n]f32) =\n  \
             let c = {attribute} map (\\x -> map (\\y -> reduce (+) 0 (map2 (*) x y)) (transpose b)) a\n  \
             in (c, {attribute} map (map (+ 1)) (transpose c))\n"
        );
        let (mut prog, log) = scheduled(Path::new("a.fut"), &file(&text));
        let mut cx = PassCx::new(&target::MULTICORE, log);
        for pass in kenaz_driver::passes(&[pipelines::PLACE, pipelines::PLAN].concat()) {
            kenaz_driver::step(&mut prog, pass, true, &mut cx).unwrap_or_else(|broken| panic!("{broken}"));
        }
        kenaz_imp::print::prog(&kenaz_driver::lower(&prog, &target::MULTICORE)).matches("launch ").count()
    };
    assert_eq!(chunks("#[sequential]"), 0);
    assert!(chunks("") > 0);
    assert!(chunks("#[sequential_inner]") > 0);
}

/// Some of the programs with tests, and those that speed is measured with.
fn programs() -> Vec<PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|ext| ext == "fut") {
                out.push(path);
            }
        }
    }
    let folder = |name: &str| {
        let mut out = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name), &mut out);
        out.sort();
        out
    };
    let mut out: Vec<PathBuf> = folder("tests/run").into_iter().step_by(24).collect();
    out.extend(folder("tests/run/attributes"));
    out.extend(folder("bench/c"));
    out
}

/// Whether a program is right, and its tests do not say that a target cannot run it.
fn is_for(path: &Path, target: &'static Target) -> bool {
    let text = std::fs::read_to_string(path).unwrap();
    let spec = Spec::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let excluded = format!("no_{}", target.name);
    !spec.is_some_and(|spec| spec.tags.contains(&excluded))
        && Compiler::new(&RealFileSystem, target).elaborate(path).is_ok()
}

/// What is said of loops without where they are.
fn choices(prog: &Prog, log: &Log) -> Vec<(String, Option<Level>, Option<usize>)> {
    loops(prog, log).into_iter().map(|Loop { what, level, around, .. }| (what, level, around)).collect()
}

/// A program with the attributes in it is right, runs as it did, and asks for no more attributes.
#[test]
fn attributes_say_what_is_done() {
    let attributes: usize = programs()
        .par_iter()
        .filter(|path| is_for(path, &target::MULTICORE))
        .map(|path| {
            let annotated = strategies(path, &RealFileSystem).annotated(path).unwrap();
            let files = Instead(path, annotated.clone());
            let ((before, log), (after, log_after)) = (scheduled(path, &RealFileSystem), scheduled(path, &files));
            assert_eq!(choices(&before, &log), choices(&after, &log_after), "{}\n{annotated}", path.display());
            let again = strategies(path, &files).annotated(path).unwrap();
            assert_eq!(again, annotated, "{}", path.display());
            annotated.matches("#[sequential").count()
        })
        .sum();
    assert!(attributes > 5, "{attributes} attributes");
}

/// C without the places in the program that it tells, which attributes move.
fn without_places(c: &str) -> String {
    let mut parts = c.split(".fut:");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str(".fut:");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == '-'));
    }
    out
}

/// A program with the attributes in it gives the same C for several cores.
#[test]
fn attributes_pasted_back_give_the_same_c() {
    let c = |files: &dyn FileSystem, path: &Path| {
        let compiled = Compiler::new(files, &target::MULTICORE).to(path, Stage::Memory(Ownership::Settled)).unwrap();
        without_places(&compiled.emit(kenaz_driver::Artefact::Module).text)
    };
    let path = Path::new("a.fut");
    for text in [
        NEST,
        "entry main [n] (xss: [n][100]f32) = map (\\xs -> reduce (+) 0 xs / f32.sum (map f32.sqrt xs)) xss\n",
        "entry main [n] (a: [n][4][4]f64) = map (\\x -> map (\\y -> f64.sum (map f64.sum [y, y])) x) a\n",
    ] {
        let annotated = strategies(path, &file(text)).annotated(path).unwrap();
        assert!(annotated.contains("#[sequential"), "{annotated}");
        assert_eq!(c(&file(text), path), c(&file(&annotated), path), "{annotated}");
    }
}

const NEST: &str = "\
def sums [n] [m] (xss: [n][m]f32) = map (\\xs -> reduce (+) 0 xs) xss
entry main [n] [m] (xss: [n][m]f32): (f32, [1]f32, []f32) =
  (1 + reduce f32.max 0 (sums xss), scan (+) 0 [reduce (+) 0 (flatten xss)],
   #[sequential] filter (> 0) (sums (transpose xss)))
";

/// The whole answer, sorted by place, with a loop that is in two others and what it became part of.
#[test]
fn what_is_said() {
    let found = strategies(Path::new("a.fut"), &file(NEST));
    let expected = "\
a.fut:1:37-68                       is part of the loops at a.fut:3:8-34 and a.fut:4:18-52
a.fut:1:49-63                       the reduction over `m` runs in sequence: inside of a reduction or scan on the cores all does
a.fut:1:49-63                       the reduction over `n` runs in sequence: `#[sequential]` stands around it
a.fut:3:8-34   #[sequential_inner]  the reduction over `n` runs on the cores; what is in it in sequence
a.fut:3:37-75  #[sequential]        the scan over `1` runs in sequence: it has too few iterations
a.fut:3:49-74                       the reduction runs on the cores
a.fut:4:18-52  #[sequential]        the filter over `m` runs in sequence: `#[sequential]`
";
    assert_eq!(list(&found.rows()), expected);
    // For one core there is nothing to choose.
    let in_sequence = Strategies::of(&Compiler::new(&file(NEST), &target::C), Path::new("a.fut"), true).unwrap();
    assert!(list(&in_sequence.rows()).contains("a.fut:3:8-34   the reduction over `n` runs in sequence\n"));
    assert_eq!(in_sequence.annotated(Path::new("a.fut")).unwrap(), NEST);
}

#[track_caller]
fn expect_annotated(text: &str, expected: &str) {
    let found = strategies(Path::new("a.fut"), &file(text)).annotated(Path::new("a.fut")).unwrap();
    assert_eq!(found, expected);
}

/// An attribute reaches as far as possible, so what it is about may need parentheses.
#[test]
fn where_attributes_are_written() {
    let entry = "entry main [n] [m] (xss: [n][m]f32) =\n  ";
    let sums = "reduce f32.max 0 (map (\\xs -> reduce (+) 0 xs) xss)";
    let marked = format!("#[sequential_inner] {sums}");
    for (before, behind, needs_parentheses) in [
        ("", "", false),
        ("let x = ", "\n  in x", false),
        ("", " + 1", true),
        ("1 + ", "", false),
        ("1 - ", " + 1", true),
        ("f32.abs (", ")", false),
        ("(", ", 1)", false),
        ("[1, ", "]", false),
        ("{a = ", ", b = 1}", false),
        ("if n == 0 then ", " else 0", false),
        ("if ", " == 0 then 1 else 0", true),
        ("match 1i32 case 1 -> ", " case _ -> 0", false),
        ("", " : f32", true),
        ("let s = \"é\" let x = ", " in (s, x) -- ü", false),
        ("xss[0, i64.f32 (", ")]", false),
        ("", "\r\n  |> f32.sqrt", true),
        ("let f x = x + ", " in f 1", false),
        ("loop x = 0 for i < 3 do x + f32.sqrt (", ")", false),
    ] {
        let inner = if needs_parentheses { format!("({marked})") } else { marked.clone() };
        expect_annotated(&format!("{entry}{before}{sums}{behind}\n"), &format!("{entry}{before}{inner}{behind}\n"));
    }
    // One that begins with another.
    let pipe =
        "xss |> map (\\xs -> scan (+) 0 xs) |> map (\\xs -> reduce f32.max 0 xs) |> reduce f32.min 0 |> f32.max 1";
    let found = strategies(Path::new("a.fut"), &file(&format!("{entry}{pipe}\n")));
    let text = found.annotated(Path::new("a.fut")).unwrap();
    assert!(
        text.contains("(#[sequential_inner] xss |> map") && text.contains(" reduce f32.min 0) |> f32.max 1"),
        "{text}"
    );
}

/// What runs in sequence because of an attribute around it needs none, and one that it has for another place is fine.
#[test]
fn one_attribute_is_enough() {
    let text = "\
def mul (a: [4][4]f64) (b: [4][4]f64) = map (\\x -> map (\\y -> f64.sum (map2 (*) x y)) (transpose b)) a
entry main [n] (as: [n][4][4]f64) (b: [4][4]f64) = (map (\\a -> mul a b) as, mul b b)
";
    let expected =
        text.replace("= map (", "= #[sequential_inner] map (").replace("(map (\\a", "(#[sequential_inner] map (\\a");
    expect_annotated(text, &expected);
}

/// What runs one way here and another way there has no attribute.
#[test]
fn places_that_differ() {
    let text = "def ones (n: i64) = scan (+) 0 (replicate n 1i64)\n\
                entry main (n: i64) (xs: [n]i64) = (ones 1, ones n, map (\\x -> i64.sum (ones x)) xs)\n";
    expect_annotated(text, text);
    let list = list(&strategies(Path::new("a.fut"), &file(text)).rows());
    let said: Vec<&str> = list.lines().filter(|line| line.starts_with("a.fut:1:21-49 ")).collect();
    assert!(said.len() == 3 && said.iter().all(|line| !line.contains("#[")), "{list}");
    assert!(
        said.iter().any(|line| line.contains("over `1` runs in sequence: it has too few iterations; no attribute"))
    );
    assert!(said.iter().any(|line| line.contains("over `n` runs on the cores")), "{list}");
}

/// Files that a program imports have places, too; what is printed is the file that was asked for.
#[test]
fn programs_of_several_files() {
    let lib = "def top [n] [m] (xss: [n][m]f32) = reduce f32.max 0 (map (\\xs -> reduce (+) 0 xs) xss)\n";
    let main = "import \"lib\"\nentry main [n] [m] (xss: [n][m]f32) = (top xss, scan (+) 0 [xss[0, 0]])\n";
    let files = MemoryFileSystem::new().with("lib.fut", lib).with("a.fut", main);
    let both = Strategies::of(&Compiler::new(&files, &target::MULTICORE), Path::new("a.fut"), false).unwrap();
    let listed = list(&both.rows());
    assert!(listed.contains("a.fut:2:49-70    #[sequential]        the scan over `1`"), "{listed}");
    assert!(listed.contains("lib.fut:1:36-86  #[sequential_inner]  the reduction over `n`"), "{listed}");
    assert_eq!(both.annotated(Path::new("lib.fut")).unwrap(), lib.replace("= reduce", "= #[sequential_inner] reduce"));
    let one = strategies(Path::new("a.fut"), &files);
    assert_eq!(one.annotated(Path::new("a.fut")).unwrap(), main.replace(" scan", " #[sequential] scan"));
    assert_eq!(one.annotated(Path::new("lib.fut")).unwrap(), lib);
}
