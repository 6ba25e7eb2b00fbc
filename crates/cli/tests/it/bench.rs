//! `kenaz bench` as its users run it. How long something takes is no business of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RIGHT: Option<i32> = Some(0);
const FAILURE: Option<i32> = Some(1);
const MISTAKE: Option<i32> = Some(2);

/// A fresh folder for one test, with files in it.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, contents) in files {
        fs::write(folder.join(name), contents).unwrap();
    }
    folder
}

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Measures no longer than it must.
#[track_caller]
fn bench(folder: &Path, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.current_dir(folder).arg("bench").args(args).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("CFLAGS", "-O0").env_remove("KENAZ_CACHE");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let answer = Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!answer.stderr.contains("panicked") && !answer.stderr.contains("error[bug]"), "{}", answer.stderr);
    answer
}

/// What must be wrong with a command line, in one line; nothing is written.
#[track_caller]
fn refused(folder: &Path, args: &[&str], expected: &str) {
    let before = names(folder);
    let answer = bench(folder, args);
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{args:?} {}", answer.stderr);
    assert!(answer.stderr.lines().any(|line| line.contains(expected)), "{args:?} {}", answer.stderr);
    assert_eq!(names(folder), before, "{args:?}");
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "cache").collect();
    names.sort();
    names
}

const SUMS: &str = "-- ==\n-- tags { quick }\n-- entry: main\n-- nobench input { 1i64 }\n\
    -- \"ten\" input { 10i64 } output { 45i64 }\n-- random input { 3i64 } output { 3i64 }\n\
    -- no_c input { 2i64 }\n-- slow input { 100i64 }\n-- input { -1i64 } error: negative\n\
    entry main (n: i64): i64 = i64.sum (iota n)\n";

const BRIEF: &str = "--no-convergence-phase";

#[test]
fn data_sets_are_measured_and_written() {
    let folder = folder("json", &[("a.fut", SUMS), ("none.fut", "entry main (x: i32) = x\n"), ("no.fut", "def")]);
    let args =
        ["--json", "out.json", BRIEF, "--runs", "3", "--exclude-case", "slow", "--ignore-files", "^\\./no\\.fut$", "."];
    let answer = bench(&folder, &args);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{}", answer.stdout);
    assert!(answer.stdout.starts_with("./a.fut:main\n") && !answer.stdout.contains("none.fut"), "{}", answer.stdout);
    for part in ["mean", "95 % interval", "memory", "\n  ten ", "\n  3i64 "] {
        assert!(answer.stdout.contains(part), "{part} {}", answer.stdout);
    }
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(folder.join("out.json")).unwrap()).unwrap();
    let sets = json["./a.fut:main"]["datasets"].as_object().unwrap();
    assert_eq!(sets.keys().collect::<Vec<_>>(), ["3i64", "ten"]);
    for set in sets.values() {
        // By the rules of the format: whole microseconds, and whole bytes for each memory.
        let runs = set["runtimes"].as_array().unwrap();
        assert!(runs.len() >= 3 && runs.iter().all(serde_json::Value::is_u64));
        assert!(set["bytes"].as_object().unwrap().values().all(serde_json::Value::is_u64));
    }
    assert_eq!(names(&folder), ["a.fut", "no.fut", "none.fut", "out.json"]);
}

#[test]
fn what_goes_wrong_is_said_and_the_rest_is_measured() {
    let program = "-- ==\n-- \"good\" input { [1i32] }\n-- \"empty\" input { empty([0]i32) }\n\
        -- \"wrong\" input { [1i32] } output { 2i32 }\n-- \"other\" input { 1i32 }\n\
        entry main (xs: []i32): i32 = xs[0]\n";
    let folder = folder("failing", &[("a.fut", program)]);
    let answer = bench(&folder, &[BRIEF, "--runs", "1", "--json", "out.json", "a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (FAILURE, ""));
    for part in
        ["\n  empty: ", "\n  wrong: value 1: expected 2i32, got 1i32", "\n  other: value 1 of the dataset has type i32"]
    {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(folder.join("out.json")).unwrap()).unwrap();
    let sets = &json["a.fut:main"]["datasets"];
    assert!(sets["good"].is_object() && sets["empty"].as_str().unwrap().contains("out of bounds"), "{sets}");
}

#[test]
fn programs_that_take_too_long_are_ended() {
    let program = "-- ==\n-- input { 100i64 }\nentry main (n: i64): i64 = loop i = n while i != 0 do (i * 2) | 4\n";
    let folder = folder("timeout", &[("a.fut", program)]);
    let answer = bench(&folder, &["--timeout", "1", "a.fut"]);
    assert_eq!((answer.code, &*answer.stderr), (FAILURE, ""));
    assert!(answer.stdout.contains("the program did not end within 1 seconds"), "{}", answer.stdout);
}

#[test]
fn mistakes_are_one_line() {
    let wrong = "entry main (x: i32) = y\n-- ==\n-- input { 1 }\n";
    let files = [("a.fut", SUMS), ("no.fut", "entry main = 1i32\n"), ("bad.fut", "-- ==\n-- input { [ }\ndef x = 1\n")];
    let folder = folder("mistakes", &[&files[..], &[("wrong.fut", wrong), ("times.json", "{\"a\": 1}")]].concat());
    for (args, expected) in [
        (&[][..], "required"),
        (&["--wrong", "a.fut"], "--wrong"),
        (&["--runs", "0", "a.fut"], "--runs"),
        (&["--ignore-files", "(", "a.fut"], "regex"),
        (&["none.fut"], "error: `none.fut` cannot be read"),
        (&["no.fut"], "error: there is nothing to measure"),
        (&["--entry-point", "other", "a.fut"], "error: there is nothing to measure"),
        (&["bad.fut"], "error: bad.fut:2:"),
        (&["wrong.fut"], "unknown"),
        (&["--spec-file", "none", "a.fut"], "error: none:"),
        (&["--json", "none/out.json", "a.fut"], "error: `none/out.json` cannot be written"),
        (&["--json", ".", "a.fut"], "error: `.` cannot be written"),
        (&["--report", "none/out.html", "a.fut"], "error: `none/out.html` cannot be written"),
        (&["--against-json", "out.json", "a.fut"], "error: `--against-json` is for"),
        (&["--against", "a.fut", "a.fut", "a.fut"], "error: `--against` is for one program"),
        (&["--backend", "interpreter", "--futhark", "kenaz", "a.fut"], "error: the interpreter is part"),
        (&["--num-threads", "2", "a.fut"], "error: `--num-threads` is for"),
        (
            &["--pass-compiler-option=--wrong", "a.fut"],
            "error: as an option of the compiler: unexpected argument '--wrong'",
        ),
        (&["--futhark", "./none", "a.fut"], "error: a.fut: `./none`: "),
        (&["--compare", "times.json"], "2 values required"),
        (&["--compare", "none.json", "none.json"], "error: `none.json`: "),
        (&["--compare", "times.json", "times.json"], "error: `times.json`: it is no file of measurements"),
    ] {
        refused(&folder, args, expected);
    }
}

/// Files of the peer and ours, compared: sixty runs of exactly twice the time leave nothing to chance.
#[test]
fn files_are_compared() {
    let times = |time: u32| (0..60).map(|i| (time + i % 3).to_string()).collect::<Vec<_>>().join(",");
    let file = |time| {
        format!(
            "{{\"a.fut:main\":{{\"datasets\":{{\"big\":{{\"runtimes\":[{}],\"bytes\":{{\"default space\":80}}}},\
             \"bad\":\"no luck\"}}}}}}",
            times(time)
        )
    };
    let folder = folder("compare", &[("old.json", &file(1000)), ("new.json", &file(500)), ("empty.json", "{}")]);
    let answer = bench(&folder, &["--compare", "old.json", "new.json", "--report", "both.html"]);
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
    let expected = "a.fut:main
            old       new  ratio  95 % interval           verdict
  big  1.001 ms  501.0 µs   0.50    0.50 … 0.50  faster, > 99.9 %

a.fut:main, bad: failed in the first
new takes 0.50 times as long as old in the geometric mean; it is faster in 1, slower in 0, and undecided in 0
";
    assert_eq!(answer.stdout, expected);
    let page = fs::read_to_string(folder.join("both.html")).unwrap();
    assert!(page.contains("<h1>old and new</h1>") && page.contains("faster, &gt; 99.9 %"));
    refused(&folder, &["--compare", "old.json", "empty.json"], "error: there is nothing to compare");
}

#[test]
fn two_programs_take_turns() {
    let other = SUMS.replace("i64.sum (iota n)", "n * (n - 1) / 2");
    let wrong = SUMS.replace("i64.sum (iota n)", "n");
    let folder = folder("turns", &[("a.fut", SUMS), ("other.fut", &other), ("wrong.fut", &wrong)]);
    let brief = [BRIEF, "--runs", "5", "--exclude-case", "slow", "a.fut"];
    let files = ["--json", "a.json", "--against-json", "b.json", "--report", "both.html"];
    let answer = bench(&folder, &[&brief[..], &["--against", "other.fut"], &files].concat());
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{}", answer.stdout);
    assert!(answer.stdout.contains(" a ") && answer.stdout.contains(" other "), "{}", answer.stdout);
    for file in ["a.json", "b.json"] {
        assert!(fs::read_to_string(folder.join(file)).unwrap().starts_with("{\"a.fut:main\":"), "{file}");
    }
    let page = fs::read_to_string(folder.join("both.html")).unwrap();
    assert!(page.contains("id=\"ratios\"") && page.contains("A copy of an array in memory moves"), "{page}");
    let answer = bench(&folder, &[&brief[..], &["--against", "wrong.fut"]].concat());
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stdout.contains("ten: the other side: value 1: expected 45i64, got 10i64"), "{}", answer.stdout);
}

/// Another compiler is whatever has the command line of one; servers that are there already need none.
#[test]
fn other_compilers_and_none() {
    let folder = folder("foreign", &[("a.fut", &SUMS.replace("no_c", "no_multicore"))]);
    let ours = env!("CARGO_BIN_EXE_kenaz");
    let brief = [BRIEF, "--runs", "1", "--exclude-case", "slow"];
    let others = ["--futhark", ours, "--against-backend", "multicore", "--num-threads", "2"];
    let answer = bench(&folder, &[&brief[..], &others, &["a.fut"]].concat());
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{}", answer.stdout);
    // What is not for one side is for neither.
    assert!(answer.stdout.contains(" multicore ") && !answer.stdout.contains("2i64"), "{}", answer.stdout);
    let built = Command::new(ours).args(["c", "--server", "a.fut"]).current_dir(&folder).status().unwrap();
    assert!(built.success());
    let answer = bench(&folder, &[&brief[..], &["--skip-compilation", "a.fut"]].concat());
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{}", answer.stdout);
    // A program that is not there cannot be started.
    fs::rename(folder.join("a.fut"), folder.join("b.fut")).unwrap();
    let answer = bench(&folder, &[&brief[..], &["--skip-compilation", "b.fut"]].concat());
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stdout.contains("the program cannot be started"), "{}", answer.stdout);
}

#[test]
fn the_interpreter_and_tuning_files() {
    let folder = folder("interpreter", &[("a.fut", SUMS), ("blocks", "==\ninput { 5i64 } output { 10i64 }\n")]);
    let brief = [BRIEF, "--runs", "1", "--spec-file", "blocks", "a.fut"];
    let answer = bench(&folder, &[&brief[..], &["--backend", "interpreter"]].concat());
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{}", answer.stdout);
    assert!(answer.stdout.contains("\n  #0 (\"5i64\") "), "{}", answer.stdout);
    fs::write(folder.join("a.fut.best"), "no tuning\n").unwrap();
    refused(&folder, &[&brief[..], &["--tuning", "best"]].concat(), "`NAME=INT` is expected");
    assert_eq!(bench(&folder, &[&brief[..], &["--tuning", "best", "--no-tuning"]].concat()).code, RIGHT);
}
