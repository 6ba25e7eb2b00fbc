//! `kenaz explain` as users run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "entry main [n] (xs: [n]f64): f64 = reduce (+) 0 (map (* 2) xs)\n";

/// A fresh folder with a program in it.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("explain-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.fut"), PROGRAM).unwrap();
    folder
}

fn explain(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    let Output { status, stdout, stderr } = command.current_dir(folder).arg("explain").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn every_format() {
    let folder = folder("formats");
    let (code, text, said) = explain(&folder, &["a.fut", "--target", "c"]);
    assert_eq!((code, &*said), (Some(0), ""));
    assert!(text.starts_with("a.fut for c\n\nentry main: one loop, no allocations, no copies, no checks\n"), "{text}");
    assert!(text.contains("\n1 | entry main") && text.contains("loop: reduction over n, run by one thread"), "{text}");
    let (code, json, _) = explain(&folder, &["a.fut", "--output", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &value["target"]), (Some(0), &serde_json::json!("multicore")));
    let (code, text, _) = explain(&folder, &["a.fut", "--html", "a.html"]);
    let page = fs::read_to_string(folder.join("a.html")).unwrap();
    assert_eq!((code, &*text), (Some(0), ""));
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let (code, text, _) = explain(&folder, &["a.fut", "--only", "fusion"]);
    assert!(code == Some(0) && text.contains("fusion: ") && !text.contains("loop: "), "{text}");
}

#[test]
fn mistakes_are_one_clear_line_and_lose_nothing() {
    let folder = folder("mistakes");
    fs::write(folder.join("wrong.fut"), "entry main = nothing\n").unwrap();
    for (args, message) in [
        (&["none.fut"][..], "none.fut"),
        (&["wrong.fut"], "error[unknown-name]"),
        (&["a.fut", "--html", "a.fut"], "the page would replace the program"),
        (&["a.fut", "--html", "no/such/folder.html"], "cannot be written"),
        (&["a.fut", "--target", "abacus"], "abacus"),
        (&["a.fut", "--only", "nothing"], "nothing"),
        (&[], "FILE"),
    ] {
        let (code, out, said) = explain(&folder, args);
        assert_eq!((code, &*out), (Some(2), ""), "{args:?}");
        assert!(said.contains(message), "{args:?}: {said}");
    }
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), PROGRAM);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn runs_take_data_from_test_blocks_or_files() {
    let folder = folder("run");
    let blocks = "-- ==\n-- \"two\" input { [1.0, 2.0] }\n-- \"three\" input { [1.0, 2.0, 3.0] }\n";
    fs::write(folder.join("b.fut"), format!("{blocks}{PROGRAM}")).unwrap();
    fs::write(folder.join("data.in"), "[1.0, 2.0, 3.0, 4.0]\n").unwrap();
    // Each element is read, multiplied and added.
    for (args, data, n) in [
        (&["b.fut"][..], "two", 2),
        (&["b.fut", "--dataset", "three"], "three", 3),
        (&["a.fut", "--input", "data.in"], "the input", 4),
    ] {
        let args = [&["--target", "c", "--run", "--no-convergence-phase", "--output", "json"], args].concat();
        let (code, json, said) = explain(&folder, &args);
        assert_eq!((code, &*said), (Some(0), ""), "{args:?}");
        let run = &serde_json::from_str::<serde_json::Value>(&json).unwrap()["run"];
        assert_eq!((&run["entry"], &run["data"]), (&serde_json::json!("main"), &serde_json::json!(data)));
        let found = &run["loops"][0];
        assert_eq!(
            (found["bytes"].as_f64(), found["operations"].as_f64()),
            (Some(8.0 * f64::from(n)), Some(2.0 * f64::from(n)))
        );
        assert!(run["microseconds"].as_f64().unwrap() > 0.0 && run["copy_rate"].as_f64().unwrap() > 0.0, "{run}");
    }
    for (args, message) in [
        (
            &["b.fut", "--run", "--dataset", "four"][..],
            "there is no data set `four` for `main`; there are: `two`, `three`",
        ),
        (&["b.fut", "--run", "--dataset", "two", "--input", "data.in"], "leave out `--input`"),
        (&["a.fut", "--run"], "no test block has data for `main`"),
        (&["a.fut", "--run", "-e", "mian"], "did you mean `main`?"),
        (&["a.fut", "--run", "--input", "none.in"], "none.in"),
        (&["a.fut", "--dataset", "two"], "--run"),
        (&["a.fut", "--input", "data.in"], "`--input` is for `--run`"),
    ] {
        let (code, out, said) = explain(&folder, args);
        assert_eq!((code, &*out), (Some(2), ""), "{args:?}");
        assert!(said.contains(message), "{args:?}: {said}");
    }
}
