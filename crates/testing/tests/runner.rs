//! The runner, with an executor that knows a few programs by what is written in them.

use kenaz_base::TemporaryFolder;
use kenaz_runtime::{Fingerprint, Tolerance, Value};
use kenaz_testing::{
    CompileError, Compiled, EntryPoint, EntryType, Executor, Options, Program, Report, RunError, Verdict,
    find_programs, run,
};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs are accepted unless they contain `wrong`; their entry points are `add`, `twice`, `fail` and `panic`.
struct Toy {
    name: &'static str,
    runs: AtomicUsize,
    interpreter: bool,
}

struct ToyProgram {
    entries: Vec<EntryPoint>,
    source: String,
}

impl Executor for Toy {
    fn name(&self) -> &str {
        self.name
    }
    fn is_interpreter(&self) -> bool {
        self.interpreter
    }
    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let source = fs::read_to_string(path).unwrap();
        if source.contains("def wrong") {
            return Err(CompileError::Rejected("error: unknown type `foo`".to_string()));
        }
        let plain = |ty: &str| EntryType::plain(ty.parse().unwrap());
        let entry = |name: &str, parameters: &[&str], result: &str| EntryPoint {
            name: name.to_string(),
            parameters: parameters.iter().map(|ty| plain(ty)).collect(),
            results: vec![plain(result)],
        };
        let entries = vec![
            entry("add", &["i32", "i32"], "i32"),
            entry("twice", &["[]f32"], "[]f32"),
            entry("fail", &[], "i32"),
            entry("panic", &[], "i32"),
        ];
        let warnings = if source.contains("def strange") { "warning: strange" } else { "" }.to_string();
        Ok(Compiled { program: Box::new(ToyProgram { entries, source }), warnings })
    }
}

impl Program for ToyProgram {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entries
    }
    fn fingerprint(&self) -> String {
        self.source.clone()
    }
    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        match entry {
            "add" => {
                let x = |i: usize| arguments[i].elements::<i32>().unwrap()[0];
                Ok(vec![Value::from(x(0) + x(1))])
            }
            "twice" => {
                let xs = arguments[0].elements::<f32>().unwrap();
                Ok(vec![Value::from(xs.iter().map(|x| x * 2.0).collect::<Vec<_>>())])
            }
            "fail" => Err(RunError::Failed("Index [4] out of bounds".to_string())),
            _ => panic!("no such luck"),
        }
    }
}

struct Folder(TemporaryFolder);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = TemporaryFolder::new().unwrap();
        for (file, text) in files {
            let file = folder.path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(folder)
    }
}

fn toy() -> Toy {
    Toy { name: "toy", runs: AtomicUsize::new(0), interpreter: false }
}

fn options(executor: &Toy) -> Options<'_> {
    Options {
        executor,
        reference: None,
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: Some(2),
        progress: false,
    }
}

/// Tests one program whose test block has these lines.
fn test_with(executor: &Toy, lines: &[&str], definitions: &str) -> Report {
    let block: String = lines.iter().map(|line| format!("-- {line}\n")).collect();
    let folder = Folder::new(&[
        ("p.fut", &format!("-- ==\n{block}{definitions}\n")),
        ("d/in.txt", "[1.5f32, 2.0]"),
        ("s.script", "add 1 2"),
    ]);
    let report = run(&find_programs(&folder.0.path).unwrap(), &options(executor));
    assert_eq!(report.results.iter().filter(|result| !result.program.ends_with("p.fut")).count(), 0);
    report
}

fn verdicts(lines: &[&str]) -> Vec<String> {
    let of = |verdict: &Verdict| match verdict {
        Verdict::Passed => "passed".to_string(),
        Verdict::Failed(message) => message.clone(),
        Verdict::Skipped(reason) => format!("skipped: {reason}"),
    };
    test_with(&toy(), lines, "").results.iter().map(|result| of(&result.verdict)).collect()
}

#[test]
fn right_answers() {
    assert_eq!(verdicts(&["entry: add", "input { 1 2 } output { 3 }", "input { 1 2 }"]), ["passed", "passed"]);
    assert_eq!(verdicts(&["entry: twice", "input @ d/in.txt output { [3f32, 4.00001] }"]), ["passed"]);
    assert_eq!(verdicts(&["entry: fail", "input {} error: out of.*bounds"]), ["passed"]);
    assert_eq!(verdicts(&["entry: add", "script input { (add 1 2, 4) } output { 7 }"]), ["passed"]);
    assert_eq!(verdicts(&["entry: twice", "random input { [100]f32 }"]), ["passed"]);
    assert_eq!(verdicts(&["warning: ^$"]), ["passed"]);
    assert_eq!(verdicts(&[]), ["passed"]);
}

#[test]
fn wrong_answers() {
    for (lines, expected) in [
        (
            &["entry: add", "input { 1 2 } output { 4 }"][..],
            "value 1: expected 4i32, got 3i32\nexpected: 4i32\nactual: 3i32",
        ),
        (&["entry: add", "input { 1 } output { 4 }"], "the dataset has 1 values, the entry point `add` takes 2"),
        (&["entry: add", "input { 1 2i64 }"], "value 2 of the dataset has type i64, the entry point takes i32"),
        (
            &["entry: add", "input { 1 2 } output { 3 4 }"],
            "expected 2 values, got 1\nexpected: 3i32 4i32\nactual: 3i32",
        ),
        (&["entry: add", "input { 1 2 } error: bounds"], "expected: an error with `bounds`\nactual: 3i32"),
        (
            &["entry: fail", "input {} error: overflow"],
            "expected: an error with `overflow`\nactual: Index [4] out of bounds",
        ),
        (&["entry: fail", "input {}"], "the program failed: Index [4] out of bounds"),
        (&["entry: panic", "input {}"], "internal error: no such luck"),
        (&["entry: nothing", "input {}"], "the program has no entry point `nothing`"),
        (&["entry: add", "script input @ s.script"], "the dataset has 1 values, the entry point `add` takes 2"),
        (
            &["entry: add", "script input { sub 1 }"],
            "the script failed: there is neither a variable nor an entry point `sub`",
        ),
        (&["warning: odd"], "expected: a warning with `odd`\nactual: no warning"),
        (&["error: type"], "the program is accepted\nexpected: an error with `type`"),
    ] {
        assert_eq!(verdicts(lines), [expected], "{lines:?}");
    }
    let missing = &verdicts(&["entry: add", "input @ d/none.txt"])[0];
    assert!(missing.contains("none.txt: ") && !missing.contains("passed"), "{missing}");
    let broken = &verdicts(&["input { 1 ["])[0];
    assert!(broken.starts_with("the test block is wrong:\n") && broken.contains("p.fut:2:10: "), "{broken}");
}

#[test]
fn skipped_tests() {
    assert_eq!(verdicts(&["tags { disable }", "input {}"]), ["skipped: the program has the tag `disable`"]);
    assert_eq!(verdicts(&["entry: add", "no_toy input {}"]), ["skipped: the case has the tag `no_toy`"]);
    assert_eq!(
        verdicts(&["entry: add", "input { 1 2 } auto output"]),
        ["skipped: there is no reference for `auto output`"]
    );
    let interpreter = Toy { interpreter: true, ..toy() };
    let report = test_with(&interpreter, &["entry: add", "compiled input { 1 2 }", "input { 1 2 }"], "");
    assert_eq!((report.passed(), report.failed(), report.results.len()), (1, 0, 2));
}

#[test]
fn rejected_programs() {
    let report = test_with(&toy(), &["error: unknown type"], "def wrong = 1");
    assert_eq!((report.passed(), report.failed()), (1, 0));
    let report = test_with(&toy(), &["error: unknown value"], "def wrong = 1");
    assert!(report.to_string().contains("actual: error: unknown type `foo`"), "{report}");
    let report = test_with(&toy(), &["entry: add", "input { 1 2 }"], "def wrong = 1");
    assert!(report.to_string().contains("the program does not compile\n  error: unknown type `foo`"), "{report}");
    let report = test_with(&toy(), &["warning: strange"], "def strange = 1");
    assert_eq!((report.passed(), report.failed()), (1, 0));
}

#[test]
fn the_report() {
    let folder = Folder::new(&[
        ("b.fut", "-- ==\n-- entry: add\n-- input { 1 2 } output { 3 }\n-- \"two\" input { 1 2 } output { 4 }\n"),
        ("a/c.fut", "-- ==\n-- entry: twice add\n-- input { [1f32] } output { [2f32] }\n"),
        ("a/lib.fut", "def x = 1\n"),
        ("a/readme.md", "-- ==\n"),
    ]);
    let programs = find_programs(&folder.0.path).unwrap();
    let toy = toy();
    let report = run(&programs, &options(&toy));
    let text = report.to_string().replace(&format!("{}/", folder.0.path.display()), "");
    let expected = "a/c.fut, entry add, dataset #0 ([1.0f32]):\n  \
        the dataset has 1 values, the entry point `add` takes 2\n\
        b.fut, entry add, dataset \"two\":\n  \
        value 1: expected 4i32, got 3i32\n  expected: 4i32\n  actual: 3i32\n\
        2 passed, 2 failed\n";
    assert_eq!(text, expected);
    assert!(find_programs(Path::new("no such folder")).is_err());
}

#[test]
fn references_are_asked_once() {
    let folder = Folder::new(&[("p.fut", "-- ==\n-- entry: twice\n-- random input { [10]f32 } auto output\n")]);
    let (toy, reference) = (toy(), Toy { name: "reference", ..toy() });
    let cache = folder.0.path.join("cache");
    let options = Options { reference: Some(&reference), cache: Some(cache.clone()), ..options(&toy) };
    let programs = find_programs(&folder.0.path).unwrap();
    for _ in 0..2 {
        let report = run(&programs, &options);
        assert_eq!((report.passed(), report.failed()), (1, 0), "{report}");
    }
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    // What the cache says is what counts.
    let file = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    let (other, mut hash) = (b"[1f32, 2f32]", Fingerprint::new());
    hash.add(other);
    fs::write(&file, [hash.to_string().as_bytes(), other].concat()).unwrap();
    assert!(run(&programs, &options).to_string().contains("expected a value of type [2]f32, got one of type [10]f32"));
    // Damaged files are as good as none.
    fs::write(&file, "[1f32, ").unwrap();
    assert_eq!(run(&programs, &options).passed(), 1);
}
