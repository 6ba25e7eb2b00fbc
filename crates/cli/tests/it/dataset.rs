//! `kenaz dataset` as its users run it.

use std::io::Write;
use std::process::{Command, Stdio};

/// The exit code, standard output and standard error.
#[track_caller]
fn dataset(args: &[&str], stdin: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kenaz"))
        .arg("dataset")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end without reading all of it.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn there_and_back() {
    let (code, text, _) = dataset(&["-g", "[3][4]f64", "-g", "bool", "-g", "[0][2]i8"], b"");
    assert_eq!(code, Some(0));
    let (code, binary, _) = dataset(&["-b"], &text);
    assert_eq!(code, Some(0));
    assert!(binary.starts_with(b"b\x02\x02 f64\x03\0\0\0\0\0\0\0"));
    assert_eq!(dataset(&[], &binary), (Some(0), text, String::new()));
    assert_eq!(dataset(&["-t"], &binary).1, b"[3][4]f64\nbool\n[0][2]i8\n");
}

#[test]
fn bad_data_is_a_mistake() {
    let huge = [b"b\x02\x01 i32".as_slice(), &(1u64 << 60).to_le_bytes()].concat();
    for (stdin, expected) in [
        (b"[1,\n 2,\n x]".as_slice(), "error: standard input: line 3, column 2: expected a value, found `x`\n"),
        (
            b"b\x02\x00 i32\x01",
            "error: standard input: byte 7: the binary data ends after 1 of 4 bytes of a value of type `i32`\n",
        ),
        (
            huge.as_slice(),
            "error: standard input: byte 7: the dimensions [1152921504606846976] are larger than any machine can hold\n",
        ),
        (b"\x1f\x8b\x08\x00", "error: standard input: line 1, column 1: the compressed data ends too early\n"),
    ] {
        let (code, _, stderr) = dataset(&[], stdin);
        assert_eq!((code, stderr.as_str()), (Some(2), expected));
    }
}

#[test]
fn wrong_options_are_a_mistake() {
    for args in [&["-g", "foo"][..], &["--i32-bounds=2:1"], &["-s"], &["file"]] {
        let (code, stdout, stderr) = dataset(args, b"1");
        assert_eq!((code, stdout.as_slice()), (Some(2), b"".as_slice()), "{args:?}");
        assert!(stderr.contains("--help"), "{stderr}");
    }
}

/// Half of the data is none: scripts must notice.
#[test]
fn nobody_reads() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args(["dataset", "-g", "[100000]i32"]).stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
    assert_eq!(command.status().unwrap().code(), Some(1));
}
