//! Compiled programs as users run them: they answer what the interpreter answers, are compiled once, and `kenaz test`
//! finds what is wrong with them. A part of tests/run, compiled.

use kenaz_ir::target;
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Options, find_programs, run};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// A fresh folder for one test, with files in it.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, contents) in files {
        fs::write(folder.join(name), contents).unwrap();
    }
    folder
}

#[derive(PartialEq, Debug)]
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the command, with other variables in its environment.
#[track_caller]
fn kenaz_with(folder: &Path, variables: &[(&str, &str)], args: &[&str], stdin: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.current_dir(folder).args(args).env("KENAZ_CACHE", folder.join("cache"));
    // A warning about our text would be a fault.
    command.env("CFLAGS", "-O0 -Wall -Wextra -Werror");
    command.env_remove("CC").env_remove("COLUMNS").envs(variables.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not want its input may have gone.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[track_caller]
fn kenaz(folder: &Path, args: &[&str], stdin: &str) -> Answer {
    kenaz_with(folder, &[], args, stdin)
}

const PROGRAM: &str = "type~ t = {a: i32, b: []f64}\n\
    entry main (x: i32) (ys: []i32): ([]i32, i32) = (map (+ x) ys, i32.sum ys)\n\
    entry nothing = ()\n\
    entry scalars (a: i8) (b: u16) (c: f16) (d: f32) (e: bool) (f: u64) = (a + 1, b, c * 2, d / 0, !e, f)\n\
    entry empty [n] (xss: [n][0]u8) = (transpose xss, replicate n true)\n\
    entry record (n: i64) : t = {a = 1, b = replicate n 0.5}\n\
    entry given (x: t) = x.b[1]\n\
    entry halves (xs: []f16) (bs: [][]bool) = (map (+ 1) xs, map (map (\\b -> !b)) bs)\n\
    entry unique (xs: *[]i32) = xs with [0] = 9\n\
    entry traced (x: i32) = map (\\y -> trace (x + y)) [1, 2]\n\
    entry index (xs: []i32) (i: i64) = xs[i]\n\
    entry asserted (x: i32) = assert (x > 3) x\n\
    entry divided (x: i32) = 1 / x\n\
    entry hole (x: i32) : i32 = if x > 0 then x else ???\n\
    entry same [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\n\
    entry pairs (xs: [](i32, bool)) = xs\n\
    entry large (n: i64) (m: i64) = map (\\i -> map (+ i) (iota m)) (iota n)\n\
    entry memory (n: i64) = iota n\n";

/// Whatever `$CFLAGS` says, and on as many threads as the user wants.
#[test]
fn a_program_for_several_cores() {
    let folder = folder("multicore", &[("a.fut", "entry main (n: i64) = i64.sum (map (\\x -> x * x) (iota n))")]);
    let made = kenaz(&folder, &["multicore", "a.fut", "-o", "a"], "");
    assert_eq!(made, Answer { code: Some(0), stdout: String::new(), stderr: String::new() });
    let run = |options: &[&str]| {
        let mut command = Command::new(folder.join("a"));
        command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // With wrong options it does not read.
        let _ = child.stdin.take().unwrap().write_all(b"100000i64");
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    };
    let right = Answer { code: Some(0), stdout: "333328333350000i64\n".to_string(), stderr: String::new() };
    for options in [&[][..], &["--num-threads", "1"], &["--num-threads=3"], &["--num-threads", "1000"]] {
        assert_eq!(run(options), right, "{options:?}");
    }
    let wrong = run(&["--num-threads", "0"]);
    assert_eq!((wrong.code, &*wrong.stdout), (Some(1), ""));
    assert!(wrong.stderr.ends_with("Need a number of threads from 1 to 65536, not 0\n"), "{}", wrong.stderr);
    let library = kenaz(&folder, &["multicore", "--library", "a.fut", "-o", "lib"], "");
    assert_eq!(library.code, Some(0));
    assert!(fs::read_to_string(folder.join("lib.h")).unwrap().contains("#define FUTHARK_BACKEND_multicore\n"));
}

/// Also in what it says about failures and mistakes.
#[test]
fn answers_are_those_of_the_interpreter() {
    let folder = folder("answers", &[("a.fut", PROGRAM)]);
    for (entry, data, code) in [
        ("main", "1 [2, 3]", 0),
        ("nothing", "", 0),
        ("scalars", "127i8 65535u16 1.5f16 1 true 18446744073709551615u64", 0),
        ("empty", "empty([3][0]u8)", 0),
        ("record", "2i64", 0),
        ("given", "1i32 [0.5, 1.5]", 0),
        ("given", "1i32 [0.5]", 1),
        ("halves", "[1, 2.5] [[true], [false]]", 0),
        ("unique", "[1, 2]", 0),
        ("traced", "1", 0),
        ("index", "[1, 2] 2i64", 1),
        ("asserted", "3", 1),
        ("divided", "0", 1),
        ("hole", "1", 0),
        ("hole", "0", 1),
        ("same", "[1] [1, 2]", 2),
        ("pairs", "[1] [true, false]", 2),
        // The dimensions are more than any machine can hold, but there are no elements.
        ("large", "0i64 4611686018427387904i64", 0),
        ("main", "1", 2),
        ("main", "1 [2] 3", 2),
        ("main", "true [2]", 2),
        ("mian", "1 [2]", 2),
    ] {
        let interpreted = kenaz(&folder, &["run", "--interpret", "-e", entry, "a.fut"], data);
        assert_eq!(interpreted.code, Some(code), "{entry} {data}: {interpreted:?}");
        for backend in ["c", "multicore"] {
            let compiled = kenaz(&folder, &["run", "--backend", backend, "-e", entry, "a.fut"], data);
            assert_eq!(compiled, interpreted, "{backend} {entry} {data}");
        }
    }
    // How much memory was asked for is said in other words.
    let answer = kenaz(&folder, &["run", "-w", "-e", "memory", "a.fut"], "1152921504606846976i64");
    assert_eq!((answer.code, &*answer.stdout), (Some(1), ""));
    assert!(answer.stderr.starts_with("Error: out of memory"), "{}", answer.stderr);
}

#[test]
fn programs_are_compiled_once() {
    // It counts how often it is called.
    let cc = "#!/bin/sh\necho >>calls\nexec cc \"$@\"\n";
    let folder =
        folder("once", &[("a.fut", "entry main (x: i32) = x + 1\n"), ("b.fut", "entry main = 5i8\n"), ("cc.sh", cc)]);
    let calls = || fs::read_to_string(folder.join("calls")).map_or(0, |calls| calls.lines().count());
    let run = |variables: &[(&str, &str)], file: &str, data: &str, result: &str| {
        let answer = kenaz_with(&folder, &[&[("CC", "sh ./cc.sh")], variables].concat(), &["run", file], data);
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (Some(0), result, ""));
        calls()
    };
    assert_eq!(run(&[], "a.fut", "1", "2i32\n"), 1);
    assert_eq!(run(&[], "a.fut", "2", "3i32\n"), 1);
    assert_eq!(run(&[], "b.fut", "", "5i8\n"), 2);
    // Other flags make another program.
    assert_eq!(run(&[("CFLAGS", "-O1")], "a.fut", "1", "2i32\n"), 3);
    // A damaged file is made anew.
    for file in fs::read_dir(folder.join("cache").join("compiled")).unwrap() {
        fs::write(file.unwrap().path(), "nonsense").unwrap();
    }
    assert_eq!(run(&[], "a.fut", "1", "2i32\n"), 4);
    assert_eq!(run(&[], "a.fut", "1", "2i32\n"), 4);
    // So is one of which the end is missing, which looks right and would be the end of the process.
    for file in fs::read_dir(folder.join("cache").join("compiled")).unwrap() {
        let file = fs::File::options().write(true).open(file.unwrap().path()).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    }
    assert_eq!(run(&[], "a.fut", "1", "2i32\n"), 5);
    assert_eq!(run(&[], "a.fut", "1", "2i32\n"), 5);
    // Where nothing can be kept, it is made each time.
    let file = folder.join("a.fut").join("no-folder");
    let nowhere = [("KENAZ_CACHE", file.to_str().unwrap())];
    assert_eq!(run(&nowhere, "b.fut", "", "5i8\n"), 6);
    assert_eq!(run(&nowhere, "b.fut", "", "5i8\n"), 7);
    // What makes no difference to the program makes none here.
    assert_eq!(kenaz_with(&folder, &[("CC", "sh ./cc.sh")], &["run", "a.fut", "--interpret"], "1").code, Some(0));
    assert_eq!(calls(), 7);
}

#[test]
fn the_c_compiler_may_be_missing_or_fail() {
    let folder = folder("missing", &[("a.fut", "entry main (x: i32) = x + 1\n")]);
    let answer = kenaz_with(&folder, &[("CC", "no-such-compiler")], &["run", "a.fut"], "1");
    assert_eq!((answer.code, &*answer.stdout), (Some(1), ""));
    for part in ["error: the C compiler `no-such-compiler` cannot be run", "`$CC`", "hint: `--interpret`"] {
        assert!(answer.stderr.contains(part), "{}", answer.stderr);
    }
    let answer = kenaz_with(&folder, &[("CC", "false")], &["run", "a.fut"], "1");
    assert_eq!((answer.code, &*answer.stdout), (Some(2), ""));
    assert!(answer.stderr.contains("the C compiler `false` cannot compile any program"), "{}", answer.stderr);
    assert!(!folder.join("cache").join("compiled").read_dir().unwrap().any(|_| true), "something was left behind");
    let answer = kenaz_with(&folder, &[("CC", "no-such-compiler")], &["run", "a.fut", "--stage", "parallel"], "1");
    assert_eq!((answer.code, &*answer.stdout), (Some(0), "2i32\n"), "{}", answer.stderr);
}

/// The folder of what was compiled, and how many files and bytes there are.
fn cached(folder: &Path) -> (PathBuf, usize, u64) {
    let compiled = folder.join("cache").join("compiled");
    let sizes: Vec<u64> = fs::read_dir(&compiled).unwrap().map(|it| it.unwrap().metadata().unwrap().len()).collect();
    (compiled, sizes.len(), sizes.iter().sum())
}

/// As many processes as there are, of few programs: each answers for its own program, and each program is kept once.
#[test]
fn processes_share_a_cache() {
    let programs: Vec<(String, String)> =
        (0..3).map(|k| (format!("p{k}.fut"), format!("entry main (x: i32) = x * 10 + {k}\n"))).collect();
    let files: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder("shared", &files);
    std::thread::scope(|scope| {
        for process in 0..9_usize {
            let (folder, programs) = (&folder, &programs);
            scope.spawn(move || {
                let k = process % programs.len();
                let answer = kenaz(folder, &["run", &programs[k].0], &process.to_string());
                let expected = format!("{}i32\n", process * 10 + k);
                assert_eq!((answer.code, &*answer.stdout), (Some(0), &*expected), "{}", answer.stderr);
            });
        }
    });
    assert_eq!(cached(&folder).1, programs.len(), "each program is kept once, and nothing unfinished");
}

#[test]
fn the_cache_stays_within_its_bounds() {
    const MEBIBYTE: u64 = 1 << 20;
    let folder =
        folder("bounds", &[("a.fut", "entry main (x: i32) = x + 1\n"), ("b.fut", "entry main (x: i32) = x + 2\n")]);
    let run = |file: &str, expected: &str| {
        let answer = kenaz(&folder, &["run", file], "1");
        assert_eq!((answer.code, &*answer.stdout), (Some(0), expected), "{}", answer.stderr);
    };
    let add = |name: String, bytes: u64, minutes: u64| {
        let file = fs::File::create(folder.join("cache").join("compiled").join(name)).unwrap();
        // Nothing is written, so that it takes no room on the disk.
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
    };
    run("a.fut", "2i32\n");
    // Too many files: the oldest go, and the program that was used a moment ago stays.
    (0..2100).for_each(|i| add(format!("few{i}"), 1, 10 + i));
    run("b.fut", "3i32\n");
    let (compiled, files, _) = cached(&folder);
    assert_eq!(files, 2000);
    assert!(compiled.join("few0").exists() && !compiled.join("few2099").exists());
    // Too many bytes.
    (0..4).for_each(|i| add(format!("large{i}"), 200 * MEBIBYTE, 100 * i));
    fs::write(folder.join("a.fut"), "entry main (x: i32) = x + 3\n").unwrap();
    run("a.fut", "4i32\n");
    let (compiled, _, bytes) = cached(&folder);
    assert!(bytes <= 512 * MEBIBYTE && bytes > 400 * MEBIBYTE, "{bytes} bytes are left");
    assert!(compiled.join("large0").exists() && !compiled.join("large3").exists());
    let before = cached(&folder).1;
    run("a.fut", "4i32\n");
    assert_eq!(cached(&folder).1, before, "it was there");
}

/// A fault of ours that ends in a signal is said to be one; the macro stands for it.
#[cfg(unix)]
#[test]
fn a_crash_is_a_fault_with_a_message() {
    let crash = "#include <math.h>\n#include <signal.h>\n#define sinf(x) ((void)(x), (float)raise(SIGNAL))\n";
    let folder = folder("crash", &[("a.fut", "entry main (x: f32) = f32.sin x\n"), ("crash.h", crash)]);
    for signal in ["SIGSEGV", "SIGFPE", "SIGABRT"] {
        let flags = format!("-O0 -D_DEFAULT_SOURCE -include {} -DSIGNAL={signal}", folder.join("crash.h").display());
        let answer = kenaz_with(&folder, &[("CFLAGS", &flags)], &["run", "a.fut"], "3");
        assert_eq!((answer.code, &*answer.stdout), (Some(3), ""), "{}", answer.stderr);
        let said = format!(
            "error: internal error: the compiled program crashed ({signal}); `--interpret` runs it without C\n"
        );
        assert_eq!(answer.stderr, said);
    }
}

#[test]
fn tests_of_compiled_programs() {
    let good = "type~ t = {a: i32, b: []f64}\n-- ==\n-- entry: main\n-- input { 1 [2] } output { [3] }\n\
        -- random input { i32 [10]i32 } auto output\n-- input { 0 [1] } error: Assertion is false\n\
        entry main (x: i32) (ys: []i32) = map (+ assert (x != 0) x) ys\n\
        -- ==\n-- entry: take\n-- script input { make 3i64 } output { 1.5 }\n\
        entry make (n: i64) : t = {a = 1, b = replicate n 0.5}\nentry take (x: t) = f64.sum x.b\n";
    let bad = "-- ==\n-- input { 1 } output { 2 }\n-- input { 0 } error: division\n-- input { 1 } error: division\n\
        -- input { 1 } output { 1 }\nentry main (x: i32) = 1 / x\n";
    let hangs = "-- ==\n-- input { 1 } output { 2 }\n-- input { 0 } output { 0 }\n\
        entry main (x: i32) = loop x while x > 0 do (x + 1) % 2 + 1\n";
    let files = [
        ("good.fut", good),
        ("bad.fut", bad),
        ("hangs.fut", hangs),
        ("wrong.fut", "-- ==\n-- error: scope\ndef x = y\n"),
    ];
    let folder = folder("test", &files);
    let test = |files: &[&str]| kenaz(&folder, &[&["test", "--backend", "c", "--timeout", "1"], files].concat(), "");
    let answer = test(&["good.fut", "wrong.fut"]);
    assert_eq!((answer.code, &*answer.stdout), (Some(0), "5 passed, 0 failed\n"), "{}", answer.stderr);
    let answer = test(&["bad.fut"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.stdout.ends_with("\n2 passed, 2 failed\n"), "{}", answer.stdout);
    let answer = test(&["hangs.fut"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.stdout.contains("the program did not end within 1 seconds"), "{}", answer.stdout);
    assert!(answer.stdout.ends_with("\n1 passed, 1 failed\n"), "{}", answer.stdout);
    let answer = kenaz_with(&folder, &[("CC", "no-such-compiler")], &["test", "--backend", "c", "bad.fut"], "");
    assert_eq!(answer.code, Some(1));
    assert!(answer.stdout.contains("the C compiler `no-such-compiler` cannot be run"), "{}", answer.stdout);
    let answer = kenaz(&folder, &["test", "--backend", "c", "--fuel", "3", "bad.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (Some(2), ""));
}

#[test]
fn the_imperative_stage() {
    let folder = folder("imp", &[("a.fut", PROGRAM)]);
    let answer = kenaz(&folder, &["ir", "--stage", "imp", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stderr), (Some(0), ""));
    assert!(answer.stdout.starts_with("entry entry_main") && answer.stdout.contains("  for i_"), "{}", answer.stdout);
    let answer = kenaz(&folder, &["ir", "--stage", "imp", "--check", "a.fut"], "");
    assert_eq!(answer, Answer { code: Some(0), stdout: String::new(), stderr: String::new() });
    let answer = kenaz(&folder, &["ir", "--stage", "imp", "--metrics", "a.fut"], "");
    assert!(
        answer.stdout.lines().any(|line| line.starts_with("store ") && line.contains("depth")),
        "{}",
        answer.stdout
    );
    for args in [&["run", "--stage", "imp", "a.fut"][..], &["test", "--stage", "imp", "a.fut"]] {
        let answer = kenaz(&folder, args, "");
        assert_eq!((answer.code, &*answer.stderr), (Some(2), "error: the stage `imp` cannot be interpreted\n"));
    }
}

/// `cargo xtask compiled` runs all of them.
#[test]
fn a_sample_of_all_programs() {
    const EVERY: usize = 12;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let known = fs::read_to_string(root.join("tests/run/known-failures.txt")).unwrap();
    let programs = find_programs(&root.join("tests/run")).unwrap();
    let is_known = |path: &Path| {
        let name = path.strip_prefix(root.join("tests/run")).unwrap().display().to_string();
        known.lines().any(|line| line.starts_with(&format!("{name}: ")))
    };
    let sample: Vec<PathBuf> = programs.into_iter().step_by(EVERY).filter(|path| !is_known(path)).collect();
    assert!(sample.len() > 40);
    let cache = folder("sample", &[]);
    let mut executor = CompiledByC::new(&target::C, Duration::from_secs(60)).unwrap().with_cache(&cache);
    executor.tools.compiler.flags = vec!["-O0".to_string()];
    let options = Options {
        executor: &executor,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::SUITE,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    let report = run(&sample, &options);
    assert_eq!(report.failed(), 0, "{report}");
}
