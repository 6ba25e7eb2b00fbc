//! `run`, `ir`, `test` and `repl` as users run them: results, exit codes, what bad input gets.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const RIGHT: Option<i32> = Some(0);
pub(crate) const FAILURE: Option<i32> = Some(1);
pub(crate) const MISTAKE: Option<i32> = Some(2);
const FAULT: Option<i32> = Some(3);

/// A fresh folder for one test, with files in it.
pub(crate) fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commands-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, contents) in files {
        fs::write(folder.join(name), contents).unwrap();
    }
    folder
}

fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kenaz"))
        .current_dir(folder)
        .args(args)
        .env("XDG_CACHE_HOME", folder)
        .env("XDG_STATE_HOME", folder)
        .env("CFLAGS", "-O0")
        .env_remove("KENAZ_CACHE")
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

#[track_caller]
fn finish(child: Child) -> Answer {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let answer = Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("error[bug]"), "{}", answer.stderr);
    answer
}

#[track_caller]
pub(crate) fn kenaz(folder: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> Answer {
    let mut child = start(folder, args);
    // A command that does not want its input may have gone.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    finish(child)
}

const ADD: &str = "entry main (x: i32) (ys: []i32): ([]i32, i32) = (map (+ x) ys, i32.sum ys)\n\
    entry two = 2i64\n";

#[test]
fn values_in_and_out() {
    let folder = folder("values", &[("a.fut", ADD)]);
    for args in [&["run", "a.fut"][..], &["run", "--interpret", "a.fut"], &["run", "-e", "main", "a.fut"]] {
        let answer = kenaz(&folder, args, "1 [2, 3]");
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "[3i32, 4i32]\n5i32\n", ""));
    }
    let answer = kenaz(&folder, &["run", "-e", "two", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "2i64\n"));
}

#[test]
fn a_definition_is_no_entry_point() {
    let text = "def double (x: i32) = 2 * x\nentry main (x: i32) = double x\n";
    let folder = folder("no-entry", &[("a.fut", text)]);
    for (wanted, message) in [
        ("double", "`double` is no entry point; define it with `entry` instead of `def`"),
        ("doubl", "there is no entry point `doubl`; there are: main"),
        ("mian", "there is no entry point `mian`; did you mean `main`?"),
    ] {
        let answer = kenaz(&folder, &["run", "--interpret", "-e", wanted, "a.fut"], "1");
        assert_eq!((answer.code, &*answer.stdout), (Some(2), ""), "{wanted}");
        assert!(answer.stderr.contains(message), "{wanted}: {}", answer.stderr);
    }
}

#[test]
fn data_that_does_not_fit() {
    let folder = folder("misfit", &[("a.fut", ADD), ("b.fut", "entry main (x: i8) (yss: [][]u8) = (x, yss)\n")]);
    for (file, data, message) in [
        ("a.fut", &b"1"[..], "argument 2 (`ys`: []i32)"),
        ("a.fut", b"", "argument 1 (`x`: i32)"),
        ("a.fut", b"1.5 [1]", "argument 1 (`x`: i32)"),
        ("a.fut", b"true [1]", "argument 1 (`x`: i32)"),
        ("a.fut", b"1 2", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1, 2", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1, true]", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1i64]", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1]]", "after the last argument"),
        ("a.fut", b"1 [[1], [2]]", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1] 2", "after the last argument"),
        ("a.fut", b"\xff\xfe", "argument 1 (`x`: i32)"),
        ("b.fut", b"300 [[1]]", "argument 1 (`x`: i8)"),
        ("b.fut", b"3 [[1], [2, 3]]", "argument 2 (`yss`: [][]u8)"),
        // Sizes of 2^60, and so many that their product is even larger.
        ("a.fut", b"1 empty([1152921504606846976]i32)", "argument 2 (`ys`: []i32)"),
        ("b.fut", b"1 empty([1152921504606846976][0]u8)", "argument 2 (`yss`: [][]u8)"),
        ("b.fut", b"1 empty([1152921504606846976][1152921504606846976]u8)", "argument 2 (`yss`: [][]u8)"),
        // Binary data: cut off, of another type, and with dimensions of 2^60.
        ("a.fut", b"1 b\x02\x01 i32\x02\0\0\0\0\0\0\0\x01\0", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 b\x02\x01 i32\x02\0\0", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 b\x02\x01 i64\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 b\x02\x01 i32\0\0\0\0\0\0\0\x10\x01\0\0\0", "argument 2 (`ys`: []i32)"),
        ("b.fut", b"1 b\x02\x02  u8\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\x01", "argument 2 (`yss`: [][]u8)"),
    ] {
        let answer = kenaz(&folder, &["run", file], data);
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{data:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains(message), "{data:?}\n{}", answer.stderr);
    }
}

#[test]
fn sizes_that_do_not_agree() {
    let program = "entry same [n] (xs: [n]i32) (ys: [n]i32) = (xs, ys)\n\
        entry named (m: i64) (xs: [m]i32) = (m, xs)\n\
        entry sum (m: i64) (xs: [m + 1]i32) = (m, xs)\n\
        entry later (xss: [][]i32) (m: i64) (k: i64) (ys: [k][m]i32) = (xss, ys)\n\
        entry three (xs: [3]i32) = xs\n\
        entry pairs (xs: [](i32, bool)) = xs\n\
        entry tuple [n] (x: i8) (t: ([n]i32, [n]bool)) = (x, t.0, t.1)\n";
    let folder = folder("sizes", &[("a.fut", program)]);
    let expected = |number: usize, name: &str, given: &str, wanted: &str| {
        format!(
            "Error: Entry point arguments have invalid sizes: \
             argument {number} (`{name}`) of shape {given} cannot match shape of type \"{wanted}\"."
        )
    };
    for (entry, data, message) in [
        ("same", "[1] [1, 2]", expected(2, "ys", "[2]", "[1]i32")),
        ("named", "3i64 [1, 2]", expected(2, "xs", "[2]", "[3]i32")),
        ("named", "-1i64 empty([0]i32)", expected(2, "xs", "[0]", "[-1]i32")),
        ("sum", "1i64 [1]", expected(2, "xs", "[1]", "[2]i32")),
        ("later", "[[1]] 2i64 3i64 [[1]]", expected(4, "ys", "[1][1]", "[3][2]i32")),
        ("three", "[1, 2]", expected(1, "xs", "[2]", "[3]i32")),
        ("pairs", "[1, 2] [true]", "Error: Argument 1 (`xs`) should have shape [2], but has [1].".to_string()),
        ("tuple", "1i8 [1, 2] [true]", expected(2, "t", "[1]", "[2]bool")),
    ] {
        let answer = kenaz(&folder, &["run", "-e", entry, "a.fut"], data);
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{entry} {data}\n{}", answer.stderr);
        assert!(answer.stderr.starts_with(&message), "{entry} {data}\n{}", answer.stderr);
    }
    for (entry, data, results) in [
        ("same", "[1] [2]", "[1i32]\n[2i32]\n"),
        ("named", "2i64 [1, 2]", "2i64\n[1i32, 2i32]\n"),
        ("sum", "1i64 [1, 2]", "1i64\n[1i32, 2i32]\n"),
        ("later", "[[7]] 2i64 1i64 [[8, 9]]", "[[7i32]]\n[[8i32, 9i32]]\n"),
        ("pairs", "[1, 2] [true, false]", "[1i32, 2i32]\n[true, false]\n"),
    ] {
        let answer = kenaz(&folder, &["run", "-e", entry, "a.fut"], data);
        assert_eq!((answer.code, &*answer.stdout), (RIGHT, results), "{entry} {data}\n{}", answer.stderr);
    }
}

#[test]
fn too_much_memory() {
    let program = "entry copies (n: i64) = replicate n 0i32\n\
        entry numbers (n: i64) = iota n\n\
        entry mapped (n: i64) = map (\\i -> i % 3) (0..<n)\n\
        entry rows (n: i64) = replicate n (replicate n 1u8)\n\
        entry filtered (n: i64) = length (filter (> 3) (iota n))\n";
    let folder = folder("memory", &[("a.fut", program)]);
    for entry in ["copies", "numbers", "mapped", "rows", "filtered"] {
        for n in [1i64 << 60, (1 << 60) + 1, i64::MAX] {
            // Compiled, the last one counts without memory, for a very long time.
            let how: &[&str] = if entry == "filtered" { &["run", "--interpret"] } else { &["run"] };
            let answer = kenaz(&folder, &[how, &["-e", entry, "a.fut"]].concat(), format!("{n}i64"));
            assert_eq!((answer.code, &*answer.stdout), (FAILURE, ""), "{entry} {n}\n{}", answer.stderr);
            assert!(answer.stderr.contains("memory"), "{entry} {n}\n{}", answer.stderr);
        }
    }
}

/// Depth costs memory, never a crash.
#[test]
fn deep_programs() {
    let nested = |n: usize, before: &str, inner: &str, after: &str| {
        format!(
            "entry main (x: i32) =\n{}{inner}\n{}\n",
            format!("{before}\n").repeat(n),
            format!("{after}\n").repeat(n)
        )
    };
    let calls: String = (1..3000).map(|i| format!("def f{i} (x: i32) = f{} (x + 1)\n", i - 1)).collect();
    let steps: String = (0..3000).map(|i| format!("let x = x ^ {i}\n")).collect();
    for (name, program, result) in [
        ("parentheses", nested(500, "(", "x", "+ 1)"), "507i32\n"),
        ("lets", nested(500, "let x =", "x", "in x + 1"), "507i32\n"),
        ("ifs", nested(500, "if x > 3 then", "x", "else 0"), "7i32\n"),
        ("else-ifs", nested(500, "if x == 1 then 2 else", "x", ""), "7i32\n"),
        ("loops", nested(300, "loop x for _i < 1 do", "x + 1", ""), "8i32\n"),
        ("functions", nested(500, "(\\y -> y + ", "x", ") x"), "3507i32\n"),
        ("operands", format!("entry main (x: i32) = x{}\n", " + x\n".repeat(3000)), "21007i32\n"),
        ("statements", format!("entry main (x: i32) =\n{steps}in x\n"), "7i32\n"),
        ("calls", format!("def f0 (x: i32) = x\n{calls}entry main (x: i32) = f2999 x\n"), "3006i32\n"),
    ] {
        let folder = folder(&format!("deep-{name}"), &[("a.fut", &program)]);
        let answer = kenaz(&folder, &["run", "-w", "a.fut"], "7");
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, result, ""), "{name}");
        let answer = kenaz(&folder, &["ir", "--check", "a.fut"], "");
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "", ""), "{name}");
    }
    let folder = folder("deep", &[("a.fut", &nested(10_000, "(", "x", "+ 1)"))]);
    let answer = kenaz(&folder, &["run", "a.fut"], "7");
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
    assert!(answer.stderr.starts_with("error[nesting-too-deep]"), "{}", answer.stderr);
}

#[test]
fn wrong_arguments() {
    let folder =
        folder("arguments", &[("a.fut", ADD), ("wrong.fut", "entry main = y\n"), ("none.fut", "def x = 1i32\n")]);
    for (args, message) in [
        (&["run"][..], "--help"),
        (&["run", "no.fut"], "error[file-not-found]"),
        (&["run", "wrong.fut"], "error[unknown-name]"),
        (&["run", "-e", "twoo", "a.fut"], "did you mean `two`?"),
        (&["run", "-e", "nothing-like-it", "a.fut"], "there are: main, two"),
        (&["run", "none.fut"], "the program has none"),
        (&["ir", "wrong.fut"], "error[unknown-name]"),
        (&["ir", "a.fut", "--stage", "nonsense"], "--help"),
        (&["test"], "--help"),
        (&["test", "no-such-folder"], "`no-such-folder` cannot be read"),
    ] {
        let answer = kenaz(&folder, args, "");
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{args:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains(message), "{args:?}\n{}", answer.stderr);
    }
}

#[test]
fn failures_name_the_whole_chain_of_calls() {
    let program = "def get (xs: []i32) (i: i64) = xs[i]\n\
        def next xs i = get xs (i + 1)\n\
        entry main (xs: []i32) (i: i64) = next xs i\n";
    let folder = folder("failure", &[("a.fut", program)]);
    let answer = kenaz(&folder, &["run", "a.fut"], "[1, 2] 0i64");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "2i32\n"));
    let answer = kenaz(&folder, &["run", "a.fut"], "[1, 2] 1i64");
    assert_eq!((answer.code, &*answer.stdout), (FAILURE, ""));
    assert!(answer.stderr.starts_with("Error: Index [2] out of bounds for array of shape [2].\n"), "{}", answer.stderr);
    let places = ["-> #0  a.fut:1:", "   #1  a.fut:2:", "   #2  a.fut:3:"].map(|place| answer.stderr.find(place));
    assert!(places.is_sorted() && places[0].is_some(), "{}", answer.stderr);
}

#[test]
fn what_is_not_supported_yet_says_so() {
    let growing =
        "entry main (x: f64) = vjp (\\y -> f64.sum (loop ys: []f64 = [y] for _i < 3i64 do concat ys ys)) x 1\n";
    let folder = folder("limitation", &[("a.fut", growing)]);
    for args in [&["run", "a.fut"][..], &["ir", "a.fut"]] {
        let answer = kenaz(&folder, args, "1f64");
        assert_eq!((answer.code, &*answer.stdout), (FAULT, ""));
        assert!(answer.stderr.contains("error[limitation]: no derivative of a loop"), "{}", answer.stderr);
        assert!(answer.stderr.contains("a.fut:1:"), "{}", answer.stderr);
    }
}

#[test]
fn the_ir_of_programs() {
    let folder = folder("ir", &[("a.fut", ADD), ("b.fut", "entry main = 1i32\n"), ("wrong.fut", "entry main = y\n")]);
    let answer = kenaz(&folder, &["ir", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
    assert!(answer.stdout.contains("entry entry_main ") && answer.stdout.contains("entry entry_two "));
    let answer = kenaz(&folder, &["ir", "a.fut", "b.fut", "--stage", "array", "--check"], "");
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "", ""));
    let answer = kenaz(&folder, &["ir", "a.fut", "--metrics"], "");
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stdout.lines().any(|line| line.contains("map")), "{}", answer.stdout);
    // A wrong program does not hide a right one.
    let answer = kenaz(&folder, &["ir", "wrong.fut", "b.fut"], "");
    assert_eq!(answer.code, MISTAKE);
    assert!(answer.stdout.contains("entry entry_main "), "{}", answer.stdout);
}

#[test]
fn the_parallel_stage() {
    let program = "entry main (xs: []i64) = #[simd(4)] map (+ 1) xs\n\
                   entry rows [n] (xs: [n]i64) = (scan (map2 (+)) [0, 0] (map (\\x -> [x, 1]) xs))[n - 1]\n";
    let folder = folder("parallel", &[("a.fut", program)]);
    let answer = kenaz(&folder, &["ir", "a.fut", "--stage", "parallel", "--optimise", "--decisions"], "");
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stdout.contains("par simd 4 (") && answer.stdout.contains("loop ("), "{}", answer.stdout);
    assert!(
        answer.stderr.contains("a.fut:2:") && answer.stderr.contains("this is a scan over arrays"),
        "{}",
        answer.stderr
    );
    for (entry, expected) in [("main", "[1i64, 2i64, 3i64, 4i64]\n"), ("rows", "[6i64, 4i64]\n")] {
        let run = ["run", "a.fut", "--interpret", "--stage", "parallel", "-e", entry];
        let answer = kenaz(&folder, &run, "[0i64, 1i64, 2i64, 3i64]");
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, expected, ""));
    }
}

#[test]
fn strategies_of_programs() {
    let program = "entry main (xss: [][]i64): i64 =\n  reduce i64.max 0 (map (\\xs -> reduce (+) 0 xs) xss) + 1\n";
    let folder = folder("strategies", &[("a.fut", program), ("wrong.fut", "entry main = y\n")]);
    let answer = kenaz(&folder, &["ir", "--strategies", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
    let line = "a.fut:2:3-53   #[sequential_inner]  the reduction runs on the cores; what is in it in sequence\n";
    assert!(answer.stdout.starts_with(line), "{}", answer.stdout);
    let answer = kenaz(&folder, &["ir", "--strategies", "--target", "c", "a.fut"], "");
    assert!(answer.stdout.starts_with("a.fut:2:3-53   the reduction runs in sequence\n"), "{}", answer.stdout);
    // What is printed can be compiled, computes the same and asks for nothing more.
    let annotated = kenaz(&folder, &["ir", "--strategies=annotated", "a.fut"], "");
    assert_eq!((annotated.code, &*annotated.stderr), (RIGHT, ""));
    assert!(annotated.stdout.contains("\n  (#[sequential_inner] reduce i64.max 0 "), "{}", annotated.stdout);
    fs::write(folder.join("b.fut"), &annotated.stdout).unwrap();
    for file in ["a.fut", "b.fut"] {
        let answer =
            kenaz(&folder, &["run", "--interpret", "--stage", "parallel", file], "[[1i64, 2i64], [5i64, 6i64]]");
        assert_eq!((answer.code, &*answer.stdout), (RIGHT, "12i64\n"), "{}", answer.stderr);
    }
    let again = kenaz(&folder, &["ir", "--strategies=annotated", "b.fut"], "");
    assert_eq!(again.stdout, annotated.stdout);
    // A wrong program does not hide a right one, and options that would have no effect are refused.
    let answer = kenaz(&folder, &["ir", "--strategies", "wrong.fut", "a.fut"], "");
    assert_eq!(answer.code, MISTAKE);
    assert!(answer.stderr.contains("error[unknown-name]") && answer.stdout.starts_with(line), "{}", answer.stderr);
    for wrong in [&["--strategies", "--metrics"][..], &["--strategies", "--fuel", "3"], &["--strategies=nonsense"]] {
        assert_eq!(kenaz(&folder, &[&["ir", "a.fut"], wrong].concat(), "").code, MISTAKE, "{wrong:?}");
    }
}

#[test]
fn the_memory_stage() {
    let program = "-- ==\n-- input { [1i64, 2i64] } output { [0i64, 2i64, 4i64] }\n\
                   entry main (xs: []i64) = #[simd(4)] map (* 2) ([0] ++ xs)\n\
                   entry get (xs: []i64) (i: i64) = (reverse (copy xs))[i]\n";
    let folder = folder("memory-stage", &[("a.fut", program)]);
    let answer = kenaz(&folder, &["run", "a.fut", "--interpret", "--stage", "memory"], "[3i64, 4i64, 5i64]");
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "[0i64, 6i64, 8i64, 10i64]\n", ""));
    // A program fails as it does by value.
    let run = ["run", "a.fut", "-e", "get", "--stage"];
    let by_heap = kenaz(&folder, &[&run[..], &["memory"]].concat(), "[3i64] 1i64");
    let by_value = kenaz(&folder, &[&run[..], &["array"]].concat(), "[3i64] 1i64");
    assert_eq!((by_heap.code, &by_heap.stderr), (by_value.code, &by_value.stderr));
    assert!(by_heap.stderr.contains("Index [1] out of bounds"), "{}", by_heap.stderr);
    let answer = kenaz(&folder, &["test", "--stage", "memory", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "1 passed, 0 failed\n"), "{}", answer.stderr);
}

#[test]
fn passes_over_programs() {
    let maps = "entry main (xs: []i32) = map (+ 1) (map (* 2) xs)\n";
    let folder = folder("passes", &[("a.fut", maps)]);
    let maps_left = |args: &[&str]| {
        let answer = kenaz(&folder, &[&["ir", "a.fut", "--metrics"], args].concat(), "");
        assert_eq!(answer.code, RIGHT, "{}", answer.stderr);
        let line = answer.stdout.lines().find(|line| line.starts_with("map ")).map(str::to_string);
        (line.and_then(|line| line.split(' ').nth(1)?.parse::<usize>().ok()), answer.stderr)
    };
    assert_eq!(maps_left(&[]).0, Some(2));
    assert_eq!(maps_left(&["--optimise"]).0, Some(1));
    assert_eq!(maps_left(&["--after", "inline"]).0, Some(2));
    assert_eq!(maps_left(&["--after", "fuse.2", "--check-passes"]).0, Some(1));
    assert_eq!(maps_left(&["--passes", "fuse"]).0, Some(1));
    assert_eq!(maps_left(&["--optimise", "--fuel", "0"]).0, Some(2));
    let (_, table) = maps_left(&["--optimise", "--time-passes"]);
    assert!(table.contains("simplify") && table.contains("fuse-map-map"), "{table}");
    for (wrong, says) in
        [("fusion", "there is no pass `fusion`"), ("fuse.9", "does not run 9 times"), ("fuse.x", "`x`")]
    {
        let answer = kenaz(&folder, &["ir", "a.fut", "--after", wrong], "");
        assert_eq!(answer.code, MISTAKE);
        assert!(answer.stderr.contains(says), "{}", answer.stderr);
    }
    let answer = kenaz(&folder, &["run", "--optimise", "a.fut"], "[1, 2]");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "[3i32, 5i32]\n"));
    let answer = kenaz(&folder, &["bisect", "a.fut"], "[1, 2]");
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stdout.starts_with("the answer is the same"), "{}", answer.stdout);
    let answer = kenaz(&folder, &["bisect", "a.fut", "-e", "mian"], "");
    assert_eq!(answer.code, MISTAKE);
}

#[test]
fn decisions_and_warnings_of_passes() {
    let kept = "entry main (xs: []i32) = map (+ 1) (#[materialize] (map (* 2) xs))\n";
    let fails = "entry main (x: i64) = (iota 10)[x - x + 10]\n";
    let folder = folder("decisions", &[("kept.fut", kept), ("fails.fut", fails)]);
    let answer = kenaz(&folder, &["ir", "kept.fut", "--optimise", "--decisions", "--metrics"], "");
    assert!(answer.stderr.contains("kept.fut:1:") && answer.stderr.contains("fusion refused"), "{}", answer.stderr);
    let answer = kenaz(&folder, &["run", "--optimise", "fails.fut"], "3");
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stderr.contains("warning[check-always-fails]"), "{}", answer.stderr);
    assert!(answer.stderr.contains("Error: Index [10] out of bounds for array of shape [10]."), "{}", answer.stderr);
}

#[test]
fn places_and_their_reasons() {
    let shifted = "entry main [n] (a: *[n]i32): *[n]i32 =\n  a with [1:] = #[try(dest)] map (* 2) a[:n - 1]\n";
    let folder = folder("places", &[("shifted.fut", shifted)]);
    let answer = kenaz(&folder, &["ir", "shifted.fut", "--stage", "memory", "--decisions", "--metrics"], "");
    assert_eq!(answer.code, RIGHT, "{}", answer.stderr);
    for line in [
        "shifted.fut:2:30-48 < shifted.fut:1:7-10: allocation, because `mapped`: the slice is used while",
        "shifted.fut:2:3-48 < shifted.fut:1:7-10: copy, because `mapped`: the slice is used while",
    ] {
        assert!(answer.stderr.contains(line), "{line}\n{}", answer.stderr);
    }
    let answer = kenaz(&folder, &["c", "--library", "shifted.fut"], "");
    assert_eq!(answer.code, RIGHT, "{}", answer.stderr);
    assert!(answer.stderr.contains("warning[attribute-refused]"), "{}", answer.stderr);
    let label = "`#[dest]`, `mapped`: the slice is used while its new value is made";
    assert!(answer.stderr.contains(&format!("^^^^ {label}")), "{}", answer.stderr);
    let answer = kenaz(&folder, &["c", "--library", "-w", "shifted.fut"], "");
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
    let answer = kenaz(&folder, &["c", "--library", "--Werror", "shifted.fut"], "");
    assert_eq!(answer.code, MISTAKE, "{}", answer.stderr);
}

#[test]
fn copies_in_loops_are_told_on_request() {
    let shifted =
        "entry main [n] (k: i32) (a: *[n]i32): *[n]i32 =\n  loop a for _i < k do a with [1:] = map (* 2) a[:n - 1]\n";
    let folder = folder("copies", &[("shifted.fut", shifted)]);
    let is_told =
        |answer: &Answer| answer.stderr.contains("warning[copy-in-loop]: an array of type `[n - 1]i32` is copied");
    let input = "2 [1, 2, 3]";
    for args in [
        &["run", "--interpret", "shifted.fut"][..],
        &["run", "--backend", "c", "shifted.fut"],
        &["c", "--library", "shifted.fut"],
        &["multicore", "--library", "shifted.fut"],
        &["check", "shifted.fut"],
        &["ir", "shifted.fut"],
        &["ir", "--stage", "memory", "--target", "multicore", "shifted.fut"],
    ] {
        let quiet = kenaz(&folder, args, input);
        assert_eq!((quiet.code, &*quiet.stderr), (RIGHT, ""), "{args:?}");
        let answer = kenaz(&folder, &[args, &["--warn", "copies"]].concat(), input);
        assert_eq!((answer.code, &answer.stdout), (RIGHT, &quiet.stdout), "{args:?}\n{}", answer.stderr);
        assert!(is_told(&answer), "{args:?}\n{}", answer.stderr);
    }
    let answer = kenaz(&folder, &["run", "-w", "--warn", "copies", "shifted.fut"], input);
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "[1i32, 2i32, 4i32]\n", ""));
    let answer = kenaz(&folder, &["c", "--library", "--Werror", "--warn", "copies", "shifted.fut"], "");
    assert_eq!(answer.code, MISTAKE, "{}", answer.stderr);
    let answer = kenaz(&folder, &["check", "--output", "json", "--warn", "copies", "shifted.fut"], "");
    assert_eq!((answer.code, answer.stdout.lines().count(), &*answer.stderr), (RIGHT, 1, ""));
    let told = [
        "\"id\":\"copy-in-loop\"",
        "\"severity\":\"warning\"",
        "because the slice is used while its new value is made",
    ];
    assert!(told.iter().all(|part| answer.stdout.contains(part)), "{}", answer.stdout);
    let answer = kenaz(&folder, &["c", "--warn", "nothing", "shifted.fut"], "");
    assert_eq!(answer.code, MISTAKE, "{}", answer.stderr);
}

#[test]
fn tests_in_comments() {
    let good = "-- ==\n-- input { 1 2 } output { 3 }\n-- random input { i32 i32 } auto output\n\
        entry main (x: i32) (y: i32) = x + y\n";
    let bad = "-- ==\n-- input { 1 } output { 2 }\n-- input { 0 } error: division\n-- input { 1 } error: division\n\
        entry main (x: i32) = 1 / x\n";
    let folder =
        folder("test", &[("good.fut", good), ("bad.fut", bad), ("wrong.fut", "-- ==\n-- error: scope\ndef x = y\n")]);
    let answer = kenaz(&folder, &["test", "good.fut", "wrong.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "3 passed, 0 failed\n"), "{}", answer.stderr);
    let answer = kenaz(&folder, &["test", "."], "");
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stdout.ends_with("\n4 passed, 2 failed\n"), "{}", answer.stdout);
    assert!(answer.stdout.contains("bad.fut, entry main, dataset #0 (1i32):\n  value 1: expected 2i32, got 1i32\n"));
    assert!(!answer.stdout.contains("good.fut"), "{}", answer.stdout);
}

#[test]
fn expressions_and_definitions() {
    let folder = folder("repl", &[("lib.fut", "def twice (x: i32) = x * 2\n")]);
    let input = "1 + 2\n\
        def xs = [1i32, 2, 3]\n\
        def xs = map (+ 1) xs\n\
        (xs, {a = 1.5, b = true})\n\
        zip xs (indices xs)\n\
        import \"lib\"\n\
        map twice xs\n\
        module m = { type t = i32 def one: t = 1 }\n\
        open m\n\
        type pair = (t, t)\n\
        (one, 2) : pair\n\
        :type map2 (+) xs\n\
        twice\n\
        let y = 5i32\n\
        -- a comment\n\
        def it = 6i32\n\
        it * 7\n\
        let y = y + 1 in \\\n\
          y * 2\n\
        :quit\n\
        4\n";
    let expected = "3i32 : i32\n\
        ([2i32, 3i32, 4i32], {a = 1.5f64, b = true}) : ([3]i32, {a: f64, b: bool})\n\
        [(2i32, 0i64), (3i32, 1i64), (4i32, 2i64)] : [3](i32, i64)\n\
        [4i32, 6i32, 8i32] : [3]i32\n\
        (1i32, 2i32) : (i32, i32)\n\
        [3]i32 -> *[3]i32\n\
        a function : i32 -> i32\n\
        42i32 : i32\n\
        12i32 : i32\n";
    let answer = kenaz(&folder, &["repl"], input);
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, expected, ""));
    let answer = kenaz(&folder, &["repl", "lib.fut"], "twice 4\n:load lib.fut\ntwice 5");
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "8i32 : i32\n10i32 : i32\n", ""));
}

#[test]
fn mistakes_do_not_end_the_session() {
    let folder = folder("repl-mistakes", &[]);
    // The outcome is that of the worst input; what was typed is shown, and nothing else.
    for (input, code, message) in [
        ("def x = 1i32\nx + y\n", MISTAKE, " --> [2]:1:5\n  |\n1 | x + y\n  |     ^ not found"),
        ("def x: i32 = y\nx\n", MISTAKE, " --> [1]:1:14\n"),
        ("1 +\n", MISTAKE, "error[unexpected-token]"),
        (":nonsense\n", MISTAKE, "there is no command `:nonsense`"),
        (":type\n", MISTAKE, "`:type` needs an argument"),
        (":load none.fut\n", MISTAKE, "error[file-not-found]"),
        ("def f (i: i64) = [1i32][i]\nf 7\n", FAILURE, "-> #0  [1]:1:18-26\n   #1  [2]:1:1-3\n"),
        ("vjp (\\y -> f64.sum (loop ys: []f64 = [y] for _i < 3i64 do concat ys ys)) 1 1\n", FAULT, "error[limitation]"),
    ] {
        let answer = kenaz(&folder, &["repl"], format!("{input}2i32"));
        assert_eq!((answer.code, &*answer.stdout), (code, "2i32 : i32\n"), "{input}\n{}", answer.stderr);
        assert!(answer.stderr.contains(message), "{input}\n{}", answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn evaluations_can_be_interrupted() {
    use std::io::{BufRead, BufReader};
    let folder = folder("repl-interrupt", &[]);
    let mut child = start(&folder, &["repl"]);
    let input = b"1i32\nloop x = 0i64 while x >= 0 do (x + 1) % 10\n2i32\n";
    child.stdin.take().unwrap().write_all(input).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "1i32 : i32\n");
    // It goes on to the endless loop at once.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    line.clear();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "2i32 : i32\n");
    let answer = finish(child);
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stderr.starts_with("Error: Interrupted.\n"), "{}", answer.stderr);
}

#[test]
fn c_refuses_what_is_no_program() {
    let c = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_kenaz")).arg("c").args(args).output().expect("it runs");
    let named = c(&["no-program.ir"]);
    assert_eq!(named.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&named.stderr).contains("source files must have a .fut extension"));
    let both = c(&["--library", "--server", "x.fut"]);
    assert_eq!(both.status.code(), Some(2));
}

/// The hash of a program stays when its layout changes, and is another one when any of its files says something else.
#[test]
fn hashes_are_of_what_programs_say() {
    let files = [
        ("a.fut", "import \"lib\"\nentry main (x: i32) = add x 1\n"),
        ("lib.fut", "def add (x: i32) y = x + y\n"),
        ("moved/b.fut", "-- Moved.\nimport \"lib\"\n\nentry main (x: i32) =\n  add x 1\n"),
        ("moved/lib.fut", "def add (x: i32) y = x+y -- the sum\n"),
        ("other/a.fut", "import \"lib\"\nentry main (x: i32) = add x 1\n"),
        ("other/lib.fut", "def add (x: i32) y = x - y\n"),
        ("wrong.fut", "entry main (x: i32) = y\n"),
    ];
    let folder = folder("hash", &[]);
    for (name, text) in files {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), text).unwrap();
    }
    let hash = |file: &str| {
        let answer = kenaz(&folder, &["hash", file], "");
        assert_eq!((answer.code, answer.stderr.as_str()), (RIGHT, ""), "{file}");
        assert_eq!(answer.stdout.trim_end().len(), 32, "{file}: {}", answer.stdout);
        assert!(answer.stdout.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit()));
        answer.stdout
    };
    let first = hash("a.fut");
    assert_eq!(first, hash("moved/b.fut"));
    assert_ne!(first, hash("other/a.fut"));
    assert_ne!(first, hash("lib.fut"));
    let wrong = kenaz(&folder, &["hash", "wrong.fut"], "");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (MISTAKE, ""));
    assert!(wrong.stderr.contains("error[unknown-name]"), "{}", wrong.stderr);
}
