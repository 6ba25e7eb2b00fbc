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
