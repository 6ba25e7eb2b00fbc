//! The whole command on small programs, with a second compiler that is right, or wrong by a little or a lot.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The compiler, which is built beside this package's program when the whole workspace is tested.
fn kenaz() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_kenaz-bench")).with_file_name("kenaz");
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "kenaz"]).current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().expect("cargo starts").success());
    }
    path
}

/// A folder like this repository, with one program to time.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, program: &str) -> Place {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // There may be nothing left of an earlier run.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("bench/c")).unwrap();
        fs::create_dir_all(path.join("bench/programs")).unwrap();
        fs::write(path.join("bench/c/program.fut"), program).unwrap();
        fs::write(path.join("bench/programs/1.fut"), "entry main (x: i32) = x + 1\n").unwrap();
        Place(path)
    }

    /// Times sequential C against a compiler that changes programs by an edit before it compiles them.
    fn run(&self, edit: &str) -> Output {
        self.measure(edit, &["c", "--markdown", "report.md"])
    }

    /// The same with a back end of choice, and its options.
    fn measure(&self, edit: &str, args: &[&str]) -> Output {
        let peer = self.0.join("peer");
        let kenaz = kenaz();
        let script = format!(
            "#!/bin/sh\n\
             # ours --version | c --server PROGRAM -o OUT | c --library PROGRAM -o OUT\n\
             if [ \"$1\" = --version ]; then echo 'another compiler 1.0'; exit; fi\n\
             sed '{edit}' \"$3\" > '{0}/edited.fut' && exec '{1}' \"$1\" \"$2\" '{0}/edited.fut' -o \"$5\"\n",
            self.0.display(),
            kenaz.display()
        );
        fs::write(&peer, script).unwrap();
        fs::set_permissions(&peer, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz-bench"));
        command.args(args).args(["--rounds", "2", "--runs", "1", "--ours"]).arg(kenaz);
        command.arg("--peer").arg(&peer).current_dir(&self.0).env("CFLAGS", "-O1").env_remove("VERSUS");
        command.output().expect("the command starts")
    }
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const SUM: &str = "\
-- A sum.
-- compare \"loose\": within 0.05, because it is a test
-- ==
-- \"strict\" compiled random input { [1000]f32 }
-- \"loose\" compiled random input { [2000]f32 }

entry main (xs: []f32) = f32.sum xs * 1.0
";

#[test]
fn what_agrees_passes_and_is_reported() {
    let place = Place::new("agrees", SUM);
    let output = place.run("");
    assert!(output.status.success(), "{}", text(&output));
    let report = fs::read_to_string(place.0.join("report.md")).unwrap();
    assert!(report.contains("| peer | another compiler 1.0 |") && report.contains("`-O1`"), "{report}");
    assert!(report.contains("| program | loose |"), "{report}");
    let rounds = fs::read_to_string(place.0.join("report.csv")).unwrap();
    assert_eq!(rounds.lines().count(), 1 + 2 * 2 * 2, "{rounds}");
}

#[test]
fn several_cores_have_a_report_with_files_beside_it() {
    let place = Place::new("several-cores", SUM);
    let output = place.measure("", &["multicore", "--only", "programs", "--into", "out"]);
    assert!(output.status.success(), "{}", text(&output));
    let read = |name: &str| fs::read_to_string(place.0.join("out").join(name)).unwrap();
    let report = read("RESULTS.md");
    assert!(report.contains("| threads | 2 each |") && report.contains("| program | strict |"), "{report}");
    assert!(report.contains("(results/programs.svg)") && read("results/programs.svg").contains("program loose"));
    assert_eq!(read("results/programs.csv").lines().count(), 1 + 2 * 2 * 2);
    let nothing = place.measure("", &["multicore", "--only", "programs"]);
    assert!(nothing.status.success() && !place.0.join("bench/RESULTS.md").exists(), "{}", text(&nothing));
}

#[test]
fn several_at_a_time_give_the_same_rows_and_late_ones_are_listed() {
    let place = Place::new("at-a-time", SUM);
    let read = |file: &str| fs::read_to_string(place.0.join(file)).unwrap();
    let output = place.measure("", &["c", "--jobs", "2", "--into", "out"]);
    assert!(output.status.success(), "{}", text(&output));
    let report = read("out/RESULTS.md");
    let rows = ["# One core", "| program | strict |", "| program | loose |", "| beside each other |"];
    assert!(rows.iter().all(|row| report.contains(row)), "{report}");
    assert_eq!(read("out/results/sequential.csv").lines().count(), 1 + 2 * 2 * 2);
    let several = ["multicore", "--only", "programs", "--jobs", "2", "--into", "out"];
    let output = place.measure("", &several);
    assert!(output.status.success(), "{}", text(&output));
    assert!(read("out/RESULTS.md").contains("# One core"), "the other part stays");
    let late = place.measure("", &[&several[..], &["--seconds", "0"]].concat());
    assert!(!late.status.success(), "{}", text(&late));
    assert_eq!(read("out/RESULTS.md").matches("missing, since there was no time").count(), 2);
}

#[test]
fn a_wrong_result_on_several_cores_is_found() {
    let place = Place::new("wrong-on-several-cores", SUM);
    let output = place.measure("s/f32.sum xs/f32.maximum xs/", &["multicore", "--only", "programs", "--into", "out"]);
    assert!(!output.status.success(), "{}", text(&output));
    let report = fs::read_to_string(place.0.join("out/RESULTS.md")).unwrap();
    assert_eq!(report.matches("\n- program ").count(), 2, "{report}");
}

#[test]
fn a_little_is_wrong_unless_it_is_stated() {
    let place = Place::new("a-little", SUM);
    let output = place.run("s/1\\.0/1.02/");
    let text = text(&output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("1 data sets with problems"), "{text}");
    let wrong = text.lines().find(|line| line.contains("elements differ")).expect("the difference is shown");
    let before = text.lines().take_while(|line| *line != wrong).last().unwrap_or_default();
    assert!(before.starts_with("program      strict"), "{text}");
}

#[test]
fn a_really_wrong_result_is_found_whatever_is_stated() {
    let place = Place::new("wrong", SUM);
    let output = place.run("s/f32.sum xs/f32.maximum xs/");
    assert!(!output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("2 data sets with problems"), "{}", text(&output));
}

#[test]
fn a_few_elements_may_differ_if_it_is_stated_and_no_more() {
    let program = "\
-- Powers.
-- compare \"some\": all but 0.5 %, because it is a test
-- ==
-- \"some\" compiled input { 10000i64 }

entry main (n: i64) = map (\\i -> if i < 0 then 1 else i * i) (iota n)
";
    let place = Place::new("few", program);
    let few = place.run("s/i < 0/i > 0 \\&\\& i < 50/");
    assert!(few.status.success(), "{}", text(&few));
    let many = place.run("s/i < 0/i > 0 \\&\\& i < 60/");
    assert!(!many.status.success(), "{}", text(&many));
    assert!(text(&many).contains("58 of 10000 elements differ"), "{}", text(&many));
}
