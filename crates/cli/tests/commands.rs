//! `run`, `ir`, `test` and `repl` as users run them: results, exit codes, what bad input gets.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const RIGHT: Option<i32> = Some(0);
const FAILURE: Option<i32> = Some(1);
const MISTAKE: Option<i32> = Some(2);
const FAULT: Option<i32> = Some(3);

/// A fresh folder for one test, with files in it.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
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
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
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
fn kenaz(folder: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> Answer {
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
fn data_that_does_not_fit() {
    let folder =
        folder("misfit", &[("a.fut", ADD), ("b.fut", "entry main [n] (xs: [n]i32) (ys: [n]i32) = (xs, ys)\n")]);
    for (file, data, message) in [
        ("a.fut", &b"1"[..], "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1.5 [1]", "argument 1 (`x`: i32)"),
        ("a.fut", b"true [1]", "argument 1 (`x`: i32)"),
        ("a.fut", b"1 [1, 2", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [[1], [2]]", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 [1] 2", "after the last argument"),
        ("a.fut", b"\xff\xfe", "argument 1 (`x`: i32)"),
        // Binary data: cut off, and with a dimension of 2^60.
        ("a.fut", b"1 b\x02\x01 i32\x02\0\0\0\0\0\0\0\x01\0", "argument 2 (`ys`: []i32)"),
        ("a.fut", b"1 b\x02\x01 i32\0\0\0\0\0\0\0\x10\x01\0\0\0", "argument 2 (`ys`: []i32)"),
    ] {
        let answer = kenaz(&folder, &["run", file], data);
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{data:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains(message), "{data:?}\n{}", answer.stderr);
    }
    // FIXME: this is a mistake too, and should name the argument; the check is part of the program, as any other assertion.
    let answer = kenaz(&folder, &["run", "b.fut"], "[1] [1, 2]");
    assert_eq!((answer.code, &*answer.stdout), (FAILURE, ""));
    assert!(answer.stderr.starts_with("Error: Entry point arguments have invalid sizes"), "{}", answer.stderr);
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
    let folder = folder("limitation", &[("a.fut", "entry main (x: f32) = jvp (\\y -> y * y) x 1\n")]);
    for args in [&["run", "a.fut"][..], &["ir", "a.fut"]] {
        let answer = kenaz(&folder, args, "1f32");
        assert_eq!((answer.code, &*answer.stdout), (FAULT, ""));
        assert!(answer.stderr.contains("error[limitation]: automatic differentiation"), "{}", answer.stderr);
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
        ("jvp (\\x -> x * x) 1f32 1f32\n", FAULT, "error[limitation]"),
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
