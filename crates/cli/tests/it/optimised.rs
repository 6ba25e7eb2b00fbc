//! What the optimiser makes of small programs: how many operators are left, and where sizes and checks are computed.

use kenaz_base::{MemoryFileSystem, Symbol};
use kenaz_driver::{Compiler, Selection, Settings};
use kenaz_ir::metrics::Metrics;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Body, DimSlice, Exp, Fun, Lambda, Name, Operand, Param, Prog, Stage, Stm, Type, target};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn optimised(source: &str) -> Prog {
    let files = MemoryFileSystem::new().with("main.fut", source);
    let optimised = optimiser(&files).to(Path::new("main.fut"), Stage::Array);
    optimised.unwrap_or_else(|error| panic!("{error}\n{source}")).prog
}

/// A compiler that stays in the array stage.
fn optimiser(files: &MemoryFileSystem) -> Compiler<'_> {
    let selection = Selection { optimise: true, ..Selection::default() };
    Compiler::new(files, &target::C).with(Settings { selection, ..Settings::default() })
}

/// Entry points of all types look the same from outside after all passes, and no pass changes their parameters. That
/// the description still fits the function is a rule of the checker, which runs after each pass.
#[test]
fn entry_points_stay_as_they_are() {
    let source = include_str!("../../../elaborate/tests/entry_types/main.fut");
    let lib = include_str!("../../../elaborate/tests/entry_types/lib/points.fut");
    let files = MemoryFileSystem::new().with("main.fut", source).with("lib/points.fut", lib);
    let compiler = optimiser(&files);
    let before = compiler.elaborate(Path::new("main.fut")).unwrap().prog;
    let after = compiler.to(Path::new("main.fut"), Stage::Array).unwrap().prog;
    kenaz_ir::check::array(&after).unwrap();
    let seen = |prog: &Prog| {
        let entries = prog.funs.iter().filter(|fun| fun.entry.is_some());
        let types = |params: &[Param]| params.iter().map(|p| p.ty.prim()).collect::<Vec<_>>();
        entries.map(|fun| (fun.name, fun.entry.clone(), types(&fun.params))).collect::<Vec<_>>()
    };
    assert_eq!(seen(&after), seen(&before));
    assert!(seen(&after).len() > 50);
}

/// The operators with functions that are left, by their words, in alphabetical order and with their depth.
#[track_caller]
fn leaves(source: &str, expected: &str) {
    let prog = optimised(source);
    let words = ["filter", "hist", "map", "reduce", "scan", "scatter", "screma", "with_acc", "loop", "copy", "concat"];
    let text = Metrics::of(&prog).to_string();
    let of_interest = |line: &&str| words.iter().any(|word| line.split(' ').next() == Some(word));
    let found: Vec<&str> = text.lines().filter(of_interest).collect();
    assert_eq!(found.join(", "), expected, "{prog}");
}

#[test]
fn a_dot_product_is_one_operator() {
    leaves("entry dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)", "screma 1 depth 0");
    leaves(
        "entry dot [n] (xs: [n]i32) (ys: [n]i32) = reduce (+) 0 (map (uncurry (*)) (zip xs ys))",
        "screma 1 depth 0",
    );
}

#[test]
fn maps_in_a_row_are_one() {
    leaves("entry three [n] (xs: [n]i32) = map (+ 1) (map (* 2) (map (\\x -> x ^ 3) xs))", "map 1 depth 0");
}

#[test]
fn ten_functions_are_one_map() {
    let mut source = String::new();
    for i in 0..10 {
        source += &format!("def f{i} (x: i32) = (x + {i}) * x\n");
    }
    let body = (0..10).fold("x".to_string(), |x, i| format!("f{i} ({x})"));
    leaves(&format!("{source}entry main [n] (xs: [n]i32) = map (\\x -> {body}) xs"), "map 1 depth 0");
    let chain: String = (0..10).map(|i| format!(" |> map f{i}")).collect();
    leaves(&format!("{source}entry main [n] (xs: [n]i32) = xs{chain}"), "map 1 depth 0");
}

#[test]
fn a_scan_takes_the_maps_around_it() {
    leaves("entry main [n] (xs: [n]i32) = map (+ 1) (scan (+) 0 (map (* 2) xs))", "screma 1 depth 0");
}

#[test]
fn mean_and_variance_are_two_passes() {
    let source = "
        def mean [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
        entry main [n] (xs: [n]f64) = let m = mean xs in (m, mean (map (\\x -> (x - m) * (x - m)) xs))";
    leaves(source, "reduce 1 depth 0, screma 1 depth 0");
}

#[test]
fn a_matrix_product_has_no_intermediate_array() {
    let source = "
        entry main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) =
          map (\\row -> map (\\column -> f32.sum (map2 (*) row column)) (transpose b)) a";
    leaves(source, "map 2 depth 1 (0: 1, 1: 1), screma 1 depth 2");
}

#[test]
fn a_filter_takes_the_map_before_it() {
    leaves("entry main [n] (xs: [n]i32) = filter (> 3) (map (* 2) xs)", "filter 1 depth 0");
}

#[test]
fn what_the_user_marks_is_kept() {
    leaves("entry main [n] (xs: [n]i32) = map (+ 1) (#[materialize] (map (* 2) xs))", "map 2 depth 0");
}

/// The programs whose sizes and checks must cost nothing to speak of.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/optimise");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
    };
    files.iter().filter(|path| path.extension().is_some_and(|e| e == "fut")).map(read).collect()
}

#[test]
fn sizes_and_checks_stand_outside_operators() {
    let programs = programs();
    let names: Vec<&str> = programs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["floyd-warshall", "k-means", "lu", "matrix-product", "option-pricing"]);
    for (name, source) in &programs {
        for source in [source.clone(), source.replace("\ndef ", "\n#[noinline]\ndef ")] {
            let prog = optimised(&source);
            let found = Inside::of(&prog);
            assert_eq!(found.counts(), (0, 0, 0), "{name}: {found:?}\n{prog}");
        }
    }
}

/// Without the passes that are responsible there is something to find, so the test above can fail.
#[test]
fn sizes_and_checks_are_found_inside_operators() {
    for (name, source) in programs() {
        let source = source.replace("\ndef ", "\n#[noinline]\ndef ");
        let files = MemoryFileSystem::new().with("main.fut", source);
        let prog = optimiser(&files).elaborate(Path::new("main.fut")).unwrap().prog;
        let found = Inside::of(&prog);
        // The product has nothing to move: all its sizes are arguments.
        assert_eq!(found.counts() == (0, 0, 0), name == "matrix-product", "{name}: {found:?}");
    }
}

/// What an operator or a loop makes again and again, in its own body or in the functions called there.
#[derive(Default, Debug)]
struct Inside {
    checks: Vec<String>,
    sizes: Vec<String>,
    /// Checks in loops, but in no operator.
    checks_in_loops: Vec<String>,
}

impl Inside {
    fn counts(&self) -> (usize, usize, usize) {
        (self.checks.len(), self.sizes.len(), self.checks_in_loops.len())
    }

    fn of(prog: &Prog) -> Inside {
        let funs: BTreeMap<Symbol, &Fun> = prog.funs.iter().map(|fun| (fun.name, fun)).collect();
        let mut found = Inside::default();
        for fun in prog.funs.iter().filter(|fun| fun.entry.is_some()) {
            let mut sizes = Sizes::default();
            prog.funs.iter().for_each(|fun| sizes.fun(fun));
            Search { funs: &funs, sizes: &sizes.0, found: &mut found, operators: 0, loops: 0 }.body(&fun.body);
        }
        found
    }
}

/// The names that are used as sizes.
#[derive(Default)]
struct Sizes(BTreeSet<Name>);

impl Visit for Sizes {
    fn ty(&mut self, ty: &Type) {
        self.0.extend(ty.dims().iter().filter_map(|n| n.name()));
    }

    fn stm(&mut self, stm: &Stm) {
        if let Exp::Slice(_, dims) = &stm.exp {
            self.0.extend(dims.iter().filter_map(|dim| match dim {
                DimSlice::Range { len: Operand::Var(n), .. } => Some(*n),
                _ => None,
            }));
        }
        walk::stm(self, stm);
    }
}

struct Search<'a> {
    funs: &'a BTreeMap<Symbol, &'a Fun>,
    sizes: &'a BTreeSet<Name>,
    found: &'a mut Inside,
    operators: usize,
    loops: usize,
}

impl Visit for Search<'_> {
    fn stm(&mut self, stm: &Stm) {
        let is_size = |param: &Param| param.ty == Type::I64 && self.sizes.contains(&param.name);
        match &stm.exp {
            Exp::Assert(..) if self.operators > 0 => self.found.checks.push(stm.to_string()),
            Exp::Assert(..) if self.loops > 0 => self.found.checks_in_loops.push(stm.to_string()),
            // An existential size that comes with its array is no computation.
            Exp::Soac(_) | Exp::Loop { .. } => {}
            _ if self.operators > 0 && stm.pat.iter().any(is_size) => self.found.sizes.push(stm.to_string()),
            _ => {}
        }
        if let Exp::Call(f, _) = &stm.exp {
            let body: &Body = &self.funs[f].body;
            self.body(body);
        }
        let is_loop = usize::from(matches!(stm.exp, Exp::Loop { .. }));
        self.loops += is_loop;
        walk::stm(self, stm);
        self.loops -= is_loop;
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.operators += 1;
        walk::lambda(self, lambda);
        self.operators -= 1;
    }
}

/// Of pictures that are functions nothing is left but a map over the pixels: no function is called inside, and no array
/// is made there but that of a pixel.
#[test]
fn functional_images_are_maps_over_pixels() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pan/frames.fut");
    let mut compiler = Compiler::new(&kenaz_base::RealFileSystem, &target::C);
    compiler.settings.selection.optimise = true;
    let prog = compiler.to(&path, Stage::Array).unwrap_or_else(|error| panic!("{error}")).prog;
    struct Inside {
        operators: usize,
        wrong: Vec<String>,
    }
    impl Visit for Inside {
        fn stm(&mut self, stm: &Stm) {
            match &stm.exp {
                Exp::Call(..) => self.wrong.push(stm.to_string()),
                Exp::Soac(_) => self.operators += 1,
                _ => {}
            }
            walk::stm(self, stm);
        }
    }
    let pictures = ["swirled", "overlaid", "polar_board", "fractal", "julia_tiles"];
    for name in pictures {
        let is_it = |fun: &&Fun| fun.name.as_str().rsplit_once('_').is_some_and(|(base, _)| base == name);
        let fun = prog.funs.iter().filter(|fun| fun.entry.is_none()).find(is_it).unwrap_or_else(|| panic!("no {name}"));
        let mut inside = Inside { operators: 0, wrong: Vec::new() };
        inside.fun(fun);
        // The rows, and the pixels of a row.
        assert_eq!((inside.operators, inside.wrong), (2, vec![]), "{name}");
    }
}

/// The bytes of a PNG file: what can be read again are the pixels.
#[test]
fn pictures_are_png_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pan/frames.fut");
    let run = |entry: &str| -> Vec<u8> {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kenaz"));
        command.args(["run", "--interpret", "-e", entry]).arg(&path);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"3i64 5i64 0.5f32").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let number = |part: &str| part.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        text.split("u8").filter_map(number).collect()
    };
    let (pixels, file) = (run("overlaid"), run("overlaid_file"));
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(!0u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
        })
    };
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    let (mut chunks, mut rest) = (Vec::new(), &file[8..]);
    while !rest.is_empty() {
        let len = number(&rest[..4]) as usize;
        assert_eq!(number(&rest[8 + len..12 + len]), crc(&rest[4..8 + len]));
        chunks.push((&rest[4..8], &rest[8..8 + len]));
        rest = &rest[12 + len..];
    }
    let names: Vec<&[u8]> = chunks.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [b"IHDR", b"IDAT", b"IEND"]);
    assert_eq!(chunks[0].1, [0, 0, 0, 5, 0, 0, 0, 3, 8, 2, 0, 0, 0]);
    // One block that is not compressed: the rows, each behind a zero, and their checksum.
    let data = chunks[1].1;
    let rows: Vec<u8> = pixels.chunks(15).flat_map(|row| [&[0][..], row].concat()).collect();
    let size = rows.len() as u16;
    assert_eq!(data[..7], [&[0x78, 1, 1][..], &size.to_le_bytes(), &(!size).to_le_bytes()].concat()[..]);
    assert_eq!(data[7..7 + rows.len()], rows[..]);
    let (one, two) = rows.iter().fold((1u32, 0u32), |(one, two), byte| {
        let one = (one + u32::from(*byte)) % 65521;
        (one, (two + one) % 65521)
    });
    assert_eq!(number(&data[7 + rows.len()..]), two << 16 | one);
}
