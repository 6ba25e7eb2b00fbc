//! `kenaz c --library`: a program in C uses all of a library's API, and what it gets is what the interpreter says; the
//! manifest names what the header declares.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/codegen/library").join(name)
}

/// A fresh folder for one test, with the library in it.
fn library(test: &str) -> PathBuf {
    library_for("c", test)
}

pub(crate) fn library_for(backend: &str, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("library-{test}"));
    // There may be nothing left of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args([backend, "--library"]).arg(source("shapes.fut")).arg("-o").arg(folder.join("shapes"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn exists(compiler: &str) -> bool {
    let mut command = Command::new(compiler);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The C compilers that are here: the usual one, and a clang if there is any.
fn compilers() -> Vec<String> {
    let clangs = std::iter::once("clang".to_string()).chain((15..=22).rev().map(|n| format!("clang-{n}")));
    let mut compilers = vec!["cc".to_string()];
    compilers.extend(clangs.into_iter().find(|name| exists(name)));
    compilers
}

/// What the interpreter prints for an entry point, in one line.
fn interpreted(entry: &str, arguments: &str) -> String {
    use std::io::Write;
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args(["run", "--interpret", "-w", "-e", entry]).arg(source("shapes.fut"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(arguments.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{entry} {arguments}");
    String::from_utf8(output.stdout).unwrap().lines().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_called_through_the_api_answers_like_the_interpreter() {
    let folder = library("used");
    let mut answers: Vec<String> = Vec::new();
    for compiler in compilers() {
        let user = folder.join(format!("user-{compiler}"));
        let mut command = Command::new(&compiler);
        command.args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
        command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"]).arg(&folder);
        command.arg(source("shapes_user.c")).arg(folder.join("shapes.c")).arg("-o").arg(&user).arg("-lm");
        let built = command.output().unwrap();
        assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&user).output().unwrap();
        assert!(ran.status.success(), "{compiler}: {}", String::from_utf8_lossy(&ran.stderr));
        answers.push(String::from_utf8(ran.stdout).unwrap());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "compilers do not agree: {answers:?}");
    like_the_interpreter(&answers[0]);
}

/// Each line of an answer has what the interpreter says of it.
fn like_the_interpreter(answer: &str) {
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines.len() >= 12, "{lines:?}");
    for line in lines {
        let [entry, arguments, results] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert_eq!(results, interpreted(entry, arguments), "{entry} {arguments}");
    }
}

/// The same program uses a library for a device, where there is one.
#[test]
fn a_library_for_a_device_answers_like_the_interpreter() {
    if kenaz_driver::native::device::probe(&kenaz_ir::target::OPENCL).is_err() {
        return;
    }
    let folder = library_for("opencl", "device");
    let user = folder.join("user");
    let mut command = Command::new("cc");
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(&folder);
    command.arg(source("shapes_user.c")).arg(folder.join("shapes.c")).arg("-o").arg(&user).args(["-lm", "-ldl"]);
    let built = command.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&user).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    like_the_interpreter(&String::from_utf8(ran.stdout).unwrap());
}

/// Each request for memory fails once: the call that made it says so, and nothing is lost.
#[test]
fn calls_without_memory_fail_and_nothing_else() {
    let folder = library("faults");
    let (object, user) = (folder.join("checked.o"), folder.join("faults"));
    let checked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rts/tests/checked.h");
    let compile = |args: &[&std::ffi::OsStr]| {
        let mut command = Command::new("cc");
        command.args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]);
        let built = command.arg("-fno-sanitize-recover=all").arg("-I").arg(&folder).args(args).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    };
    let source_of_library = folder.join("shapes.c");
    compile(&[
        "-include".as_ref(),
        checked.as_ref(),
        "-c".as_ref(),
        source_of_library.as_ref(),
        "-o".as_ref(),
        object.as_ref(),
    ]);
    let source_of_user = source("shapes_faults.c");
    compile(&[source_of_user.as_ref(), object.as_ref(), "-o".as_ref(), user.as_ref(), "-lm".as_ref()]);
    let mut calls = BTreeSet::new();
    for failing in 1..1000 {
        let ran = Command::new(&user).env("KENAZ_FAIL_ALLOC", failing.to_string()).output().unwrap();
        assert!(ran.status.success(), "request {failing}: {}", String::from_utf8_lossy(&ran.stderr));
        let failed = String::from_utf8(ran.stdout).unwrap();
        if failed == "none\n" {
            assert!(failing > 30 && calls.len() > 14, "only {failing} requests, of {calls:?}");
            return;
        }
        calls.insert(failed);
    }
    panic!("it never ends");
}

/// Damaged bytes are refused, or are values that can be used like any other, under the sanitizers. `$KENAZ_RESTORE`
/// says how many there are.
#[test]
fn damaged_values_are_refused_or_harmless() {
    let folder = library("restored");
    let user = folder.join("restore");
    let mut command = Command::new("cc");
    command.args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]);
    command.arg("-fno-sanitize-recover=all").arg("-I").arg(&folder).arg(source("shapes_restore.c"));
    let built = command.arg(folder.join("shapes.c")).arg("-o").arg(&user).arg("-lm").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let count = std::env::var("KENAZ_RESTORE").map_or(8_000, |count| count.parse().unwrap());
    let ran = Command::new(&user).arg(count.to_string()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let values: u64 = String::from_utf8(ran.stdout).unwrap().trim().parse().unwrap();
    // Some are not damaged at all, and many where nothing notices.
    assert!(values > count / 10 && values < count, "{values} of {count}");
}

#[test]
fn the_header_is_also_one_of_cpp() {
    let folder = library("cpp");
    let user = folder.join("user.cpp");
    fs::write(&user, "#include \"shapes.h\"\nint main() { return futhark_get_tuning_param_count(); }\n").unwrap();
    let mut command = Command::new("c++");
    command.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror"]).arg(&user);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn manifest(library: &Path) -> Value {
    let text = fs::read_to_string(library.join("shapes.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// All strings in it that are names of functions.
fn functions_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.starts_with("futhark_") => _ = found.insert(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| functions_in(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| functions_in(value, found)),
        _ => {}
    }
}

#[test]
fn the_manifest_names_what_the_header_declares() {
    let folder = library("names");
    let header = fs::read_to_string(folder.join("shapes.h")).unwrap();
    let declared: BTreeSet<String> = header
        .lines()
        .filter_map(|line| Some(line.split_once('(')?.0.rsplit([' ', '*']).next()?.to_string()))
        .filter(|name| name.starts_with("futhark_"))
        // These are the same in all libraries.
        .filter(|name| !name.starts_with("futhark_context_") && !name.starts_with("futhark_get_tuning_param_"))
        .collect();
    let mut named = BTreeSet::new();
    functions_in(&manifest(&folder), &mut named);
    assert!(declared.len() > 100, "{declared:?}");
    assert_eq!(declared, named);
}

#[test]
fn the_manifest_says_what_everything_is() {
    let manifest = manifest(&library("described"));
    assert_eq!(manifest["backend"], "c");
    assert!(manifest["version"].as_str().is_some_and(|version| version.starts_with("kenaz ")));
    let bump = &manifest["entry_points"]["bump"];
    assert_eq!(bump["cfun"], "futhark_entry_bump");
    assert_eq!(bump["inputs"], serde_json::json!([{"name": "xs", "type": "[]i32", "unique": true}]));
    assert_eq!(bump["outputs"], serde_json::json!([{"type": "[]i32", "unique": true}]));
    assert_eq!(bump["tuning_params"], serde_json::json!([]));
    assert_eq!(manifest["entry_points"]["at"]["inputs"][0]["unique"], false);

    let types = &manifest["types"];
    let matrix = &types["[][]f64"];
    assert_eq!((&matrix["kind"], &matrix["elemtype"]), (&"array".into(), &"f64".into()));
    assert_eq!((&matrix["rank"], &matrix["ctype"]), (&2.into(), &"struct futhark_f64_2d *".into()));

    let names = |list: &Value, key: &str| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_string()).collect()
    };
    let record = &types["tagged"]["record"];
    assert_eq!(names(&record["fields"], "name"), ["at", "flag", "name"]);
    assert_eq!(names(&record["fields"], "type"), ["(f32, i64)", "bool", "[]u8"]);
    let sum = &types["shape"]["sum"];
    assert_eq!(names(&sum["variants"], "name"), ["circle", "nothing", "polygon", "segment"]);
    assert_eq!(sum["variants"][2]["payload"], serde_json::json!(["[]f32", "bool"]));
    assert_eq!(sum["variants"][1]["payload"], serde_json::json!([]));
    let records = &types["[](f32, i32)"]["record_array"];
    assert_eq!((&records["rank"], &records["elemtype"]), (&1.into(), &"(f32, i32)".into()));
    assert_eq!(names(&records["fields"], "type"), ["[]f32", "[]i32"]);
    assert_eq!(types["[]shape"]["opaque_array"]["elemtype"], "shape");
    assert!(types.as_object().unwrap().values().all(|ty| ty["ops"]["free"].is_string()));
}

/// Runs a command in a folder, which must succeed, and gives what it prints.
fn printed(folder: &Path, command: &str, args: &[&str]) -> String {
    let output = Command::new(command).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What README.md says about calls from other languages works: the programs in examples/calling.
#[test]
fn examples_of_calls_from_outside_work() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library-examples");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for file in ["dotprod.fut", "calling/dotprod_main.c", "calling/dotprod.py"] {
        let from = examples.join(file);
        fs::copy(&from, folder.join(from.file_name().unwrap())).unwrap();
    }
    printed(&folder, env!("CARGO_BIN_EXE_kenaz"), &["c", "--library", "dotprod.fut"]);
    printed(&folder, "cc", &["-O1", "dotprod_main.c", "dotprod.c", "-o", "dotprod_main", "-lm"]);
    assert_eq!(printed(&folder, folder.join("dotprod_main").to_str().unwrap(), &[]), "32.000000\n");
    if exists("python3") {
        printed(&folder, "cc", &["-O1", "-shared", "-fPIC", "dotprod.c", "-o", "libdotprod.so", "-lm"]);
        assert_eq!(printed(&folder, "python3", &["dotprod.py"]), "32.0\n");
    }
}
