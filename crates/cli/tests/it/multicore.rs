//! Programs for several cores as users run them: the same results in every run, one error however many threads have
//! one, any number of threads, and a library that several threads use.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fresh folder for one test, with files in it.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("multicore-{test}"));
    // There may be nothing left of an earlier run.
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

fn answer(command: &mut Command, stdin: &str) -> Answer {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command with wrong options does not read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn kenaz(folder: &Path, args: &[&str], stdin: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.current_dir(folder).args(args).env("KENAZ_CACHE", folder.join("cache")).env("CFLAGS", "-O1");
    command.env_remove("CC").env_remove("OMP_NUM_THREADS").env_remove("COLUMNS");
    answer(&mut command, stdin)
}

/// Additions and multiplications of floats, which are not associative, in each kind of operator.
const FLOATS: &str = "def numbers (n: i64): [n]f32 = map (\\i -> f32.i64 ((i * 7919 + 13) % 10007) / 97) (iota n)\n\
    entry sum (n: i64) = f32.sum (numbers n)\n\
    entry sums (n: i64) = f64.sum (map f64.f32 (numbers n))\n\
    entry pairs (n: i64) = reduce (\\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (map (\\x -> (x, 1 + x * 1e-6f32)) (numbers n))\n\
    entry running (n: i64) = (scan (+) 0 (numbers n))[n - 100:]\n\
    entry counted (n: i64) = hist (+) 0 7 (map (% 7) (iota n)) (numbers n)\n\
    entry rows (n: i64) = map (\\i -> f32.sum (map (* f32.i64 (i + 1)) (numbers n))) (iota 3)\n\
    entry columns (n: i64) = reduce (map2 (+)) (replicate 4 0) (map (\\x -> map (* x) [0.1, 0.2, 0.3, 0.4]) (numbers n))\n\
    entry kept (n: i64) = f32.sum (filter (> 50) (numbers n))\n";

fn floats(answer: &Answer) -> Vec<f64> {
    assert_eq!((answer.code, &*answer.stderr), (Some(0), ""), "{answer:?}");
    let words =
        answer.stdout.split(|c: char| !(c.is_alphanumeric() || ".-+".contains(c))).filter(|word| !word.is_empty());
    words.map(|word| word.trim_end_matches("f32").trim_end_matches("f64").parse().unwrap()).collect()
}

/// Chunks are the same in every run with the same number of threads, and are combined in their order.
#[test]
fn results_are_the_same_in_every_run() {
    const RUNS: usize = 6;
    let folder = folder("floats", &[("a.fut", FLOATS)]);
    assert_eq!(kenaz(&folder, &["multicore", "a.fut", "-o", "a"], "").code, Some(0));
    let mut depend = 0;
    for entry in ["sum", "sums", "pairs", "running", "counted", "rows", "columns", "kept"] {
        let run = |threads: &str| {
            let mut command = Command::new(folder.join("a"));
            answer(command.args(["-e", entry, "--num-threads", threads]), "200003i64")
        };
        let alone = run("1");
        let wanted = floats(&alone);
        assert!(wanted.iter().all(|x| x.is_finite() && *x != 0.0), "{entry}: {wanted:?}");
        for threads in ["1", "2", "3", "4", "7"] {
            let first = run(threads);
            let found = floats(&first);
            assert_eq!(found.len(), wanted.len(), "{entry}");
            for (x, y) in found.iter().zip(&wanted) {
                assert!((x - y).abs() <= y.abs() * 1e-3, "{entry} on {threads} threads: {x} and {y}");
            }
            depend += usize::from(first != alone);
            // All digits are printed.
            (1..RUNS).for_each(|_| assert_eq!(run(threads), first, "{entry} on {threads} threads"));
        }
    }
    assert!(depend > 0, "nothing depends on the number of threads, so that the test says nothing");
}

/// The first thread that finds one stops the others, or this would take hours.
#[test]
fn one_error_is_reported_once() {
    let program =
        "entry main [m] (n: i64) (is: [m]i64) (xs: []i64) =\n  i64.sum (map (\\i -> xs[is[i % m]]) (iota n))\n";
    let folder = folder("errors", &[("a.fut", program)]);
    let said = "Error: Index [5] out of bounds for array of shape [2].\n\nBacktrace:\n\
        -> #0  a.fut:2:23-35\n   #1  a.fut:1:7-10\n";
    for threads in ["2", "3", "4", "4", "4", "16"] {
        let run = ["run", "a.fut", "--num-threads", threads];
        let found = kenaz(&folder, &run, "1125899906842624i64 [0i64, 1, 0, 1, 0, 5, 1] [3i64, 4]");
        assert_eq!(found, Answer { code: Some(1), stdout: String::new(), stderr: said.to_string() });
    }
    let right = kenaz(&folder, &["run", "a.fut"], "700000i64 [0i64, 1, 0, 1, 0, 0, 1] [3i64, 4]");
    assert_eq!((right.code, &*right.stdout), (Some(0), "2400000i64\n"), "{}", right.stderr);
}

/// `kenaz run` uses all cores, or as many threads as the user wants, more than there are cores, too.
#[test]
fn the_number_of_threads() {
    let program = "-- ==\n-- input { 1000000i64 } output { 333332833333500000i64 }\n\
        entry main (n: i64) = i64.sum (map (\\x -> x * x) (iota n))\n";
    let folder = folder("threads", &[("a.fut", program)]);
    let right = Answer { code: Some(0), stdout: "333332833333500000i64\n".to_string(), stderr: String::new() };
    for options in [&[][..], &["--num-threads", "1"], &["--num-threads=3"], &["--num-threads", "65536"]] {
        assert_eq!(kenaz(&folder, &[&["run", "a.fut"], options].concat(), "1000000i64"), right, "{options:?}");
    }
    let tested = kenaz(&folder, &["test", "a.fut", "--backend", "multicore", "--num-threads", "3"], "");
    assert_eq!((tested.code, &*tested.stdout), (Some(0), "1 passed, 0 failed\n"), "{}", tested.stderr);
    for wrong in ["0", "-1", "65537", "1000000000", "99999999999999999999", "abc", "2x", ""] {
        for command in [&["run", "a.fut"][..], &["test", "a.fut", "--backend", "multicore"]] {
            let found = kenaz(&folder, &[command, &["--num-threads", wrong]].concat(), "1");
            let said = format!("error: invalid value '{wrong}' for '--num-threads <N>': ");
            assert_eq!((found.code, &*found.stdout), (Some(2), ""), "{wrong}");
            assert!(found.stderr.starts_with(&said), "{}", found.stderr);
        }
    }
    for other in [
        &["run", "a.fut", "--backend", "c"][..],
        &["run", "a.fut", "--interpret"],
        &["run", "a.fut", "--stage", "memory"],
        &["test", "a.fut"],
        &["test", "a.fut", "--backend", "c"],
    ] {
        let found = kenaz(&folder, &[other, &["--num-threads", "2"]].concat(), "1");
        let said = "error: `--num-threads` is for `--backend multicore`\n";
        assert_eq!((found.code, &*found.stderr), (Some(2), said), "{other:?}");
    }
}

/// Servers and executables say the same about wrong numbers.
#[test]
fn servers_take_the_number_of_threads() {
    let folder = folder("server", &[("a.fut", "entry main (n: i64) = i64.sum (iota n)\n")]);
    assert_eq!(kenaz(&folder, &["multicore", "--server", "a.fut", "-o", "a"], "").code, Some(0));
    let server =
        |threads: &str| answer(Command::new(folder.join("a")).args(["--num-threads", threads]), "entry_points\n");
    for right in ["1", "4", "65536"] {
        let found = server(right);
        assert_eq!((found.code, &*found.stdout), (Some(0), "%%% OK\nmain\n%%% OK\n"), "{}", found.stderr);
    }
    for wrong in ["0", "-1", "1000000000", "abc", ""] {
        let found = server(wrong);
        let said = format!("Need a number of threads from 1 to 65536, not {wrong}\n");
        assert_eq!((found.code, &*found.stdout), (Some(1), ""), "{wrong}");
        assert!(found.stderr.ends_with(&said), "{}", found.stderr);
    }
}

/// Two contexts on two threads of the caller, one that they use in turns, and any number of threads.
#[test]
fn a_library_that_several_threads_use() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/codegen/library");
    let folder = folder("library", &[]);
    let program = sources.join("threads.fut");
    let made = kenaz(&folder, &["multicore", "--library", program.to_str().unwrap(), "-o", "threads"], "");
    assert_eq!((made.code, &*made.stderr), (Some(0), ""));
    let user = folder.join("user");
    let mut command = Command::new(std::env::var("CC").unwrap_or("cc".to_string()));
    command.args(["-std=gnu99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"]).arg(&folder);
    command.arg(sources.join("threads_user.c")).arg(folder.join("threads.c")).arg("-o").arg(&user).arg("-lm");
    let built = command.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let found = answer(&mut Command::new(&user), "");
    assert_eq!((found.code, &*found.stdout), (Some(0), "all is well\n"), "{}", found.stderr);
}
