//! `fmt` as users run it: what becomes of files, and what is said.

use crate::commands::{FAILURE, MISTAKE, RIGHT, folder, kenaz};
use std::fs;

const BAD: &str = "def  x=1\n";
const GOOD: &str = "def x = 1\n";

#[test]
fn files_are_changed_in_place() {
    let folder = folder("fmt-place", &[("a.fut", BAD), ("b.fut", GOOD)]);
    let written = fs::metadata(folder.join("b.fut")).unwrap().modified().unwrap();
    let answer = kenaz(&folder, &["fmt", "a.fut", "b.fut"], "");
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "", ""));
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), GOOD);
    assert_eq!(fs::metadata(folder.join("b.fut")).unwrap().modified().unwrap(), written);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("fmt-links", &[("a.fut", BAD), ("closed.fut", BAD)]);
    symlink("a.fut", folder.join("link.fut")).unwrap();
    let mode = |name: &str, mode: u32| {
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("a.fut", 0o640);
    mode("closed.fut", 0o444);
    assert_eq!(kenaz(&folder, &["fmt", "link.fut"], "").code, RIGHT);
    assert!(fs::symlink_metadata(folder.join("link.fut")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), GOOD);
    assert_eq!(fs::metadata(folder.join("a.fut")).unwrap().permissions().mode() & 0o777, 0o640);
    let answer = kenaz(&folder, &["fmt", "closed.fut"], "");
    assert_eq!((answer.code, &*answer.stderr), (MISTAKE, "error: `closed.fut` cannot be written: permission denied\n"));
    assert_eq!(fs::read_to_string(folder.join("closed.fut")).unwrap(), BAD);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = folder("fmt-stdin", &[]);
    for args in [&["fmt"][..], &["fmt", "-"]] {
        let answer = kenaz(&folder, args, BAD);
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, GOOD, ""));
    }
    let answer = kenaz(&folder, &["fmt", "--check"], BAD);
    assert_eq!((answer.code, &*answer.stdout), (FAILURE, "<stdin>\n"));
    let marked = kenaz(&folder, &["fmt"], format!("\u{feff}{BAD}"));
    assert_eq!(marked.stdout, format!("\u{feff}{GOOD}"));
}

#[test]
fn check_lists_the_files_that_differ() {
    let folder = folder("fmt-check", &[("a.fut", BAD), ("b.fut", GOOD), ("c.fut", BAD)]);
    let answer = kenaz(&folder, &["fmt", "--check", "a.fut", "b.fut", "c.fut"], "");
    assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (FAILURE, "a.fut\nc.fut\n", ""));
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), BAD);
    let answer = kenaz(&folder, &["fmt", "--check", "b.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, ""));
}

#[test]
fn diff_shows_what_would_change() {
    let folder = folder("fmt-diff", &[("a.fut", BAD), ("b.fut", GOOD)]);
    let diff = "--- a.fut\n+++ a.fut\n@@ -1 +1 @@\n-def  x=1\n+def x = 1\n";
    let answer = kenaz(&folder, &["fmt", "--diff", "a.fut", "b.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, diff));
    let answer = kenaz(&folder, &["fmt", "--diff", "--check", "a.fut", "b.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (FAILURE, diff));
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), BAD);
}

#[test]
fn a_range_of_lines() {
    let text = "def  x=1\ndef  y=2\n";
    let folder = folder("fmt-lines", &[("a.fut", text)]);
    assert_eq!(kenaz(&folder, &["fmt", "--lines", "2:2"], text).stdout, "def  x=1\ndef y = 2\n");
    for (args, message) in [
        (&["fmt", "--lines", "2:1", "a.fut"][..], "the last line comes before the first"),
        (&["fmt", "--lines", "0:1", "a.fut"], "lines are counted from 1"),
        (&["fmt", "--lines", "7", "a.fut"], "two line numbers are expected"),
        (&["fmt", "--lines", "1:1", "a.fut", "a.fut"], "`--lines` is about one file"),
    ] {
        let answer = kenaz(&folder, args, "");
        assert_eq!(answer.code, MISTAKE);
        assert!(answer.stderr.contains(message), "{}", answer.stderr);
    }
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), text);
}

#[test]
fn mistakes_leave_files_alone() {
    let broken = "def  x=(1\n";
    let folder = folder("fmt-mistakes", &[("a.fut", broken), ("b.fut", BAD)]);
    fs::write(folder.join("c.fut"), b"def x = \xff").unwrap();
    let answer = kenaz(&folder, &["fmt", "a.fut", "none.fut", ".", "c.fut", "b.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
    for part in ["--> a.fut:1:9", "there is no file `none.fut`", "`.` is a directory", "`c.fut` is not valid UTF-8"] {
        assert!(answer.stderr.contains(part), "{part}\n{}", answer.stderr);
    }
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), broken);
    // The others are dealt with all the same.
    assert_eq!(fs::read_to_string(folder.join("b.fut")).unwrap(), GOOD);
    let answer = kenaz(&folder, &["fmt"], broken);
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
}
