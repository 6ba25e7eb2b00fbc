//! `cargo xtask allocations` as it is run, on two small programs: ours counted, and compared with what a peer prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The compiler, which is built beside this package's program when the whole workspace is tested.
fn kenaz() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("kenaz");
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "kenaz"]).current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().expect("cargo starts").success());
    }
    path
}

/// A folder of programs: one with an allocation for its result, one that is built in place, one that is none, and one
/// that is left out because of its folder.
fn suite(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // There may be nothing left of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("programs/ad")).unwrap();
    for (file, text) in [
        ("doubled.fut", "entry main (xs: []i32) = map (* 2) xs\n"),
        ("joined.fut", "entry main (xs: []i32) = map (* 2) xs ++ map (+ 1) xs\n"),
        ("wrong.fut", "entry main = x\n"),
        ("ad/left_out.fut", "entry main (xs: []i32) = map (* 2) xs\n"),
    ] {
        fs::write(folder.join("programs").join(file), text).unwrap();
    }
    folder
}

fn allocations(folder: &Path, peer: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("allocations").arg(folder.join("programs")).arg("--ours").arg(kenaz());
    command.arg("--csv").arg(folder.join("counts.csv"));
    if let Some(peer) = peer {
        command.arg("--peer").arg(peer);
    }
    command.output().expect("the command starts")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A peer that is asked as the real one is, and prints so many allocations for every program that is one.
fn peer(folder: &Path, allocations: usize) -> PathBuf {
    let path = folder.join("peer");
    let statements: String =
        (0..allocations).map(|i| format!("  let {{mem_{i} : mem}} =\n    alloc(bytes_{i})\n")).collect();
    let script = format!(
        "#!/bin/sh\n[ \"$1 $2\" = 'dev --seq-mem' ] || exit 1\ncase \"$3\" in *wrong.fut) exit 1;; esac\n\
         cat <<'END'\n{statements}END\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn ours_are_counted_without_a_peer() {
    let folder = suite("alone");
    let output = allocations(&folder, None);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("doubled.fut: 1 allocations and 0 copies"), "{said}");
    assert!(said.contains("joined.fut: 1 allocations and 0 copies"), "{said}");
    assert!(said.contains("in all: 2 allocations, 0 copies"), "{said}");
    assert!(said.contains("left out: 1 of 3 that do not compile"), "{said}");
    assert!(said.contains("note: without --peer PATH"), "{said}");
}

#[test]
fn the_goal_is_reached_or_not() {
    let folder = suite("compared");
    let output = allocations(&folder, Some(&peer(&folder, 1)));
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("at most as often allocations and copies: 2 of 2 (100.0 %)"), "{said}");
    assert!(said.contains("left out: 1 that neither compiles, 0 that only ours does, 0 only the peer"), "{said}");
    let counts = fs::read_to_string(folder.join("counts.csv")).unwrap();
    assert!(counts.lines().any(|line| line.ends_with("doubled.fut\",1,0,0,1,0,1,0,0,1,0")), "{counts}");
    assert!(counts.lines().any(|line| line.ends_with("wrong.fut\",,,,,,,,,,")), "{counts}");

    let output = allocations(&folder, Some(&peer(&folder, 0)));
    let said = text(&output);
    assert!(!output.status.success(), "{said}");
    assert!(
        said.contains("doubled.fut: 1 allocations, 0 copies, 0 in loops, not 0 allocations, 0 copies, 0 in loops"),
        "{said}"
    );
    assert!(said.contains("the goal is 97 %"), "{said}");
}

#[test]
fn mistakes_are_said() {
    let folder = suite("mistakes");
    for args in [&[][..], &["no-such-folder"], &["--peer"], &[".", "--nonsense", "x"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("allocations").args(args).output().unwrap();
        assert!(!output.status.success() && text(&output).contains("error: "), "{args:?}: {}", text(&output));
    }
    let output = allocations(&folder, Some(Path::new("no-such-peer")));
    assert!(!output.status.success() && text(&output).contains("no-such-peer"), "{}", text(&output));
}

/// The real one, where there is one.
#[test]
fn the_peer_itself_is_understood() {
    let Some(futhark) = std::env::var_os("FUTHARK").filter(|path| !path.is_empty()) else {
        println!("note: without $FUTHARK its part of the comparison is not tested");
        return;
    };
    let folder = suite("peer");
    let output = allocations(&folder, Some(Path::new(&futhark)));
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    let counts = fs::read_to_string(folder.join("counts.csv")).unwrap();
    assert!(counts.lines().any(|line| line.ends_with("doubled.fut\",1,0,0,1,0,1,0,0,1,0")), "{counts}");
    assert!(counts.lines().any(|line| line.ends_with("wrong.fut\",,,,,,,,,,")), "{counts}");
}
