//! The command as its users run it: exit codes, output formats, and what bad input gets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const RIGHT: Option<i32> = Some(0);
const MISTAKE: Option<i32> = Some(2);

/// A fresh folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `kenaz` in a folder with some files.
fn kenaz(folder: &Path, files: &[(&str, &[u8])], args: &[&str]) -> Command {
    for (name, contents) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("COLUMNS");
    command
}

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

#[track_caller]
fn run(mut command: Command) -> Answer {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let answer = Answer { code: status.code(), stdout: text(stdout), stderr: text(stderr) };
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    assert!(answer.code.is_some_and(|code| code < 3), "{:?}\n{}", answer.code, answer.stderr);
    answer
}

#[track_caller]
fn check(test: &str, files: &[(&str, &[u8])], args: &[&str]) -> Answer {
    let args: Vec<&str> = [&["check"], args].concat();
    run(kenaz(&folder(test), files, &args))
}

/// The objects of `--output json`.
fn objects(stdout: &str) -> Vec<serde_json::Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const GOOD: &[u8] = b"entry main (x: i32): i32 = x + 1\n";
const WRONG: &[u8] = b"entry main (x: i32): i32 = y + 1\n";

#[test]
fn right_programs_are_answered_with_silence() {
    for output in ["terminal", "concise", "json"] {
        let answer = check("silence", &[("a.fut", GOOD), ("b.fut", GOOD)], &["a.fut", "b.fut", "--output", output]);
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "", ""));
    }
}

#[test]
fn mistakes_in_every_format() {
    let answer = check("mistakes-terminal", &[("a.fut", WRONG)], &["a.fut"]);
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
    assert!(answer.stderr.starts_with("error[unknown-name]: "), "{}", answer.stderr);
    assert!(answer.stderr.contains(" --> a.fut:1:28\n"), "{}", answer.stderr);
    assert!(answer.stderr.ends_with("\n1 error\n"), "{}", answer.stderr);
    assert!(!answer.stderr.contains('\u{1b}'), "colours, but nobody sees them");

    let answer = check("mistakes-concise", &[("a.fut", WRONG)], &["a.fut", "--output=concise"]);
    assert_eq!((answer.code, &*answer.stderr), (MISTAKE, ""));
    assert!(answer.stdout.starts_with("a.fut:1:28: error[unknown-name]: "), "{}", answer.stdout);
    assert_eq!(answer.stdout.lines().count(), 1);

    let answer = check("mistakes-json", &[("a.fut", WRONG)], &["a.fut", "--output", "json"]);
    assert_eq!((answer.code, &*answer.stderr), (MISTAKE, ""));
    let [object] = &objects(&answer.stdout)[..] else { panic!("{}", answer.stdout) };
    assert_eq!(object["id"], "unknown-name");
    assert_eq!(object["severity"], "error");
    assert_eq!(object["file"], "a.fut");
    assert_eq!(object["start"], serde_json::json!({"line": 1, "column": 28, "offset": 27}));
    assert_eq!(object["end"], serde_json::json!({"line": 1, "column": 29, "offset": 28}));
}

#[test]
fn one_wrong_program_among_right_ones() {
    let answer = check("among", &[("a.fut", GOOD), ("b.fut", WRONG)], &["a.fut", "none.fut", "b.fut", "a.fut"]);
    assert_eq!(answer.code, MISTAKE);
    assert!(answer.stderr.ends_with("\n2 errors\n"), "{}", answer.stderr);
}

#[test]
fn warnings_can_be_silenced_and_are_no_mistakes() {
    // Arrays are compared with `==`.
    let program = b"entry main [n] (xs: [n]i32) (ys: [n]i32): bool = xs == ys\n";
    let answer = check("warnings", &[("a.fut", program)], &["a.fut"]);
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stderr.starts_with("warning[deprecated-equality]"), "{}", answer.stderr);
    let answer = check("no-warnings", &[("a.fut", program)], &["-w", "a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
}

#[test]
fn files_that_are_none() {
    let files: &[(&str, &[u8])] = &[("dir/a.fut", GOOD), ("bad.fut", b"def x = \xff\n")];
    for (path, id) in [("none.fut", "file-not-found"), ("dir", "file-not-found"), ("bad.fut", "invalid-utf8")] {
        let answer = check(&format!("none-{path}"), files, &[path]);
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
        assert!(answer.stderr.starts_with(&format!("error[{id}]: ")), "{}", answer.stderr);
        assert!(answer.stderr.contains(path), "{}", answer.stderr);
    }
}

#[test]
fn imports_come_from_the_folder_of_the_program() {
    let files: &[(&str, &[u8])] = &[
        ("src/a.fut", b"import \"lib/b\"\nentry main = b + 1\n"),
        ("src/lib/b.fut", b"import \"../c\"\ndef b = c\n"),
        ("src/c.fut", b"def c = 1i32\n"),
    ];
    let answer = check("imports", files, &["src/a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
}

#[test]
fn import_cycles_are_reported() {
    let files: &[(&str, &[u8])] = &[("a.fut", b"import \"b\"\n"), ("b.fut", b"import \"a\"\n")];
    let answer = check("cycle", files, &["a.fut"]);
    assert_eq!(answer.code, MISTAKE);
    assert!(answer.stderr.starts_with("error[import-cycle]: "), "{}", answer.stderr);
}

#[test]
fn a_line_of_ten_megabytes() {
    let sum = format!("def x: i32 = y + {}1\n", "1 + ".repeat(2_500_000));
    let answer = check("long-line", &[("a.fut", sum.as_bytes())], &["a.fut"]);
    assert_eq!(answer.code, MISTAKE);
    assert!(answer.stderr.len() < 10_000, "{} bytes are printed", answer.stderr.len());

    let comment = format!("-- {}\ndef x = 1i32\n", "x".repeat(10_000_000));
    let answer = check("long-comment", &[("a.fut", comment.as_bytes())], &["a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
}

#[test]
fn deep_nesting() {
    let nested = |n: usize| format!("def x: i32 = {}1{}\n", "(".repeat(n), ")".repeat(n));
    let answer = check("nesting", &[("a.fut", nested(500).as_bytes())], &["a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));

    let deep_module = format!("{} def x = 1i32 {}\n", "module m = {".repeat(5_000), "}".repeat(5_000));
    for (name, program) in [("parentheses", nested(100_000)), ("modules", deep_module)] {
        let answer = check(&format!("deep-{name}"), &[("a.fut", program.as_bytes())], &["a.fut"]);
        let accepted = answer.code == RIGHT && answer.stderr.is_empty();
        assert!(accepted || answer.stderr.starts_with("error[nesting-too-deep]: "), "{}", answer.stderr);
    }
    // Left open, it cannot be right.
    let answer = check("deep-open", &[("a.fut", "(".repeat(100_000).as_bytes())], &["a.fut"]);
    assert_eq!(answer.code, MISTAKE);
}

#[test]
fn wrong_usage_is_a_mistake() {
    for args in [&["check"][..], &["chekc", "a.fut"], &["check", "a.fut", "--output=xml"], &[]] {
        let answer = run(kenaz(&folder("usage"), &[("a.fut", GOOD)], args));
        assert_eq!(answer.code, MISTAKE, "{args:?}");
        assert!(answer.stderr.contains("--help"), "{}", answer.stderr);
    }
    let answer = run(kenaz(&folder("version"), &[], &["--version"]));
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, concat!("kenaz ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[test]
fn errors_are_explained() {
    let explain = |args: &[&str]| run(kenaz(&folder("explain"), &[], &[&["explain-error"], args].concat()));
    let answer = explain(&["size-mismatch"]);
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stdout.starts_with("# size-mismatch\n"), "{}", answer.stdout);

    let answer = explain(&[]);
    assert_eq!(answer.code, RIGHT);
    assert!(answer.stdout.contains("\nunknown-name "), "{}", answer.stdout);

    let answer = explain(&["size-missmatch"]);
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
    assert!(answer.stderr.contains("did you mean `size-mismatch`?"), "{}", answer.stderr);
}

/// The reader of stdout and stderr goes away before anything is written.
#[test]
fn nobody_reads() {
    let files: &[(&str, &[u8])] = &[("a.fut", WRONG)];
    for args in [
        &["check", "a.fut", "none.fut"][..],
        &["check", "a.fut", "none.fut", "--output=json"],
        &["explain-error"],
        &["explain-error", "nonsense"],
        &["--help"],
    ] {
        let (from_stdout, stdout) = std::io::pipe().unwrap();
        let (from_stderr, stderr) = std::io::pipe().unwrap();
        drop((from_stdout, from_stderr));
        let mut child = kenaz(&folder("pipe"), files, args).stdout(stdout).stderr(stderr).spawn().unwrap();
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 2)), "{args:?}: {code:?}");
    }
}
