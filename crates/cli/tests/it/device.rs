//! Programs for a device: run in our own process, with checks that fail inside a kernel, and where there is none.

use kenaz_driver::native::device;
use kenaz_ir::target;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const PROGRAM: &str = "entry main [n] (xs: [n]i32) (i: i64): (i32, [n]i32) =\n  \
                       let ys = map (\\j -> xs[j * i]) (iota n) in (i32.sum ys, scan (+) 0 ys)\n";

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("device-{test}"));
    // There may be nothing left of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.fut"), PROGRAM).unwrap();
    folder
}

fn has_device() -> bool {
    device::probe(&target::OPENCL).is_ok()
}

/// The exit code, and what is on standard output and error.
fn answer(command: &mut Command, input: &str) -> (Option<i32>, String, String) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end without reading.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn kenaz(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args(args).current_dir(folder);
    command
}

#[test]
fn a_program_runs_on_a_device_and_fails_as_elsewhere() {
    if !has_device() {
        return;
    }
    let folder = folder("run");
    for input in ["[1, 20, 300] 1i64", "[1, 20, 300] 2i64"] {
        let [device, cores] =
            ["opencl", "multicore"].map(|it| answer(&mut kenaz(&folder, &["run", "--backend", it, "a.fut"]), input));
        assert_eq!(device, cores, "{input}");
    }
    let failed = answer(&mut kenaz(&folder, &["run", "--backend", "opencl", "a.fut"]), "[1, 20, 300] 2i64");
    assert_eq!(failed.0, Some(1));
    assert!(failed.2.contains("Index [4] out of bounds for array of shape [3]."), "{}", failed.2);
}

#[test]
fn without_a_device_there_is_one_line() {
    let folder = folder("none");
    let made = answer(&mut kenaz(&folder, &["opencl", "a.fut", "-o", "a"]), "");
    assert_eq!(made.0, Some(0), "{}", made.2);
    // No driver is in the folder where it is looked for.
    let mut command = Command::new(folder.join("a"));
    command.env("OCL_ICD_VENDORS", folder.join("nothing"));
    let (code, out, error) = answer(&mut command, "[1, 20, 300] 1i64");
    assert_eq!((code, out.as_str(), error.lines().count()), (Some(2), "", 1), "{error}");
    assert!(error.contains("install"), "{error}");
}

/// Machines may be without any OpenCL, too.
fn says_what_is_missing(line: &str, begin: &str) -> bool {
    let Some(said) = line.strip_prefix(begin) else { return false };
    let is_missing = said.starts_with("OpenCL has no driver; ") || said.starts_with("there is no OpenCL: ");
    is_missing && said.contains("; install ")
}

/// The same without a device, whoever runs the program.
#[test]
fn without_a_device_a_command_says_what_to_install() {
    let folder = folder("missing");
    fs::write(folder.join("a.fut"), "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1\n").unwrap();
    let nowhere = |args: &[&str]| {
        let mut command = kenaz(&folder, args);
        answer(command.env("OCL_ICD_VENDORS", folder.join("nothing")), "1")
    };
    for args in [&["run", "--backend", "opencl", "a.fut"][..], &["test", "--backend", "opencl", "a.fut"]] {
        let (code, out, error) = nowhere(args);
        assert_eq!((code, out.as_str(), error.lines().count()), (Some(2), "", 1), "{args:?}: {error}");
        assert!(says_what_is_missing(&error, "error: "), "{args:?}: {error}");
    }
    let (code, out, error) = nowhere(&["devices", "opencl"]);
    assert_eq!((code, error.as_str(), out.lines().count()), (Some(2), "", 1), "{out}");
    assert!(says_what_is_missing(&out, "opencl: "), "{out}");
    // Machines for tests have no device of NVIDIA's.
    if device::probe(&target::CUDA).is_err() {
        for args in [&["run", "--backend", "gpu", "a.fut"][..], &["test", "--backend", "gpu", "a.fut"]] {
            let (code, out, error) = nowhere(args);
            assert_eq!((code, out.as_str(), error.lines().count()), (Some(2), "", 1), "{args:?}: {error}");
            let parts = ["error: no device can be used: cuda: ", " opencl: OpenCL has no driver; install "];
            assert!(parts.iter().all(|part| error.contains(part)), "{args:?}: {error}");
        }
    }
}

/// `gpu` takes what there is, and says what that is.
#[test]
fn any_device_will_do() {
    if !has_device() {
        return;
    }
    let folder = folder("any");
    let used = if device::probe(&target::CUDA).is_ok() { "cuda" } else { "opencl" };
    let said = format!("note: running on a device with --backend {used}\n");
    let ran = answer(&mut kenaz(&folder, &["run", "--backend", "gpu", "a.fut"]), "[1, 20, 300] 1i64");
    assert_eq!(ran, (Some(0), "321i32\n[1i32, 21i32, 321i32]\n".to_string(), said));
    let devices = answer(&mut kenaz(&folder, &["devices"]), "");
    assert_eq!((devices.0, devices.1.contains(&format!("{used}: programs run\n"))), (Some(0), true), "{}", devices.1);
}

/// A kernel is built when it is first run, without the others and their tables, and found again by the next process.
#[test]
fn kernels_are_built_when_they_are_run() {
    if !has_device() {
        return;
    }
    let folder = folder("lazy");
    let table: Vec<String> = (0..100).map(|i| (i * i * i % 101).to_string()).collect();
    let text = format!(
        "def table: [100]i64 = [{}]\n\
         entry looked (n: i64) = map (\\i -> table[i % 100]) (iota n)\n\
         entry doubled (n: i64) = map (* 2) (iota n)\n",
        table.join(", ")
    );
    fs::write(folder.join("b.fut"), text).unwrap();
    let made = answer(&mut kenaz(&folder, &["opencl", "b.fut", "-o", "b"]), "");
    assert_eq!(made.0, Some(0), "{}", made.2);
    // What a run prints, and what its log says of kernels.
    let run = |entry: &str| {
        let mut command = Command::new(folder.join("b"));
        command.env("XDG_CACHE_HOME", &folder).args(["--log", "-e", entry]);
        let (code, out, log) = answer(&mut command, "3i64");
        assert_eq!(code, Some(0), "{log}");
        let kernels = log.lines().filter(|line| line.starts_with("Kernel"));
        (out, kernels.map(|line| line.split(' ').nth(1).unwrap().to_string()).collect::<Vec<_>>(), log)
    };
    let files = || fs::read_dir(folder.join("kenaz").join("kernels")).unwrap().count();
    let (out, kernels, log) = run("doubled");
    assert_eq!((out.as_str(), files()), ("[0i64, 2i64, 4i64]\n", 1));
    assert_eq!((kernels.len(), kernels[0].starts_with("doubled")), (1, true), "{log}");
    let (out, kernels, log) = run("looked");
    assert_eq!((out.as_str(), files()), ("[0i64, 1i64, 8i64]\n", 2));
    assert_eq!((kernels.len(), kernels[0].starts_with("looked")), (1, true), "{log}");
    let (out, _, log) = run("looked");
    assert_eq!((out.as_str(), files()), ("[0i64, 1i64, 8i64]\n", 2));
    assert!(log.contains(" loaded in "), "{log}");
    // With a file for the binary there is one program.
    let mut command = Command::new(folder.join("b"));
    command.args(["--log", "--cache-file", "all", "-e", "doubled"]).current_dir(&folder);
    let (code, out, log) = answer(&mut command, "3i64");
    assert_eq!((code, out.as_str()), (Some(0), "[0i64, 2i64, 4i64]\n"), "{log}");
    assert!(log.contains("Kernels for ") && folder.join("all").exists(), "{log}");
}

/// The folder of kernels does not grow for ever: those go that were not used for longest, and nothing that is not ours.
#[test]
fn old_kernels_make_room() {
    if !has_device() {
        return;
    }
    let folder = folder("kernels");
    let kernels = folder.join("kenaz").join("kernels");
    fs::create_dir_all(&kernels).unwrap();
    let touch = |name: &str, minutes: u64| {
        let file = fs::File::create(kernels.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
    };
    let name = |i: u64| format!("{i:032x}");
    (1..=10).for_each(|i| touch(&name(i), i));
    let draft = format!("{}.12.a0", name(11));
    touch(&draft, 600);
    let foreign = ["README".to_string(), name(12).replace('0', "x"), format!("{}0", name(13)), "ab".to_string()];
    foreign.iter().for_each(|name| touch(name, 1000));
    let build = |program: &str| {
        let mut command = kenaz(&folder, &["opencl", program, "-o", "a"]);
        let made = answer(command.env("CFLAGS", "-O0 -DKZ_MOST_BINARIES=8"), "");
        assert_eq!(made.0, Some(0), "{}", made.2);
    };
    let run = |input: &str| {
        let ran = answer(Command::new(folder.join("a")).env("XDG_CACHE_HOME", &folder), input);
        assert_eq!(ran.0, Some(0), "{}", ran.2);
        let mut left: Vec<String> =
            fs::read_dir(&kernels).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        left.retain(|name| !foreign.contains(name));
        left
    };
    // Both programs have one kernel.
    fs::write(folder.join("two.fut"), "entry main (n: i64) = map (* 2) (iota n)\n").unwrap();
    build("two.fut");
    // Six are left: the five youngest of the old, and the new one.
    let left = run("7i64");
    assert_eq!(left.len(), 6, "{left:?}");
    assert_eq!(left[..5], [1, 2, 3, 4, 5].map(name));
    assert!(foreign.iter().all(|name| kernels.join(name).exists()));
    // One that is used is as good as new.
    let first = left[5].clone();
    fs::File::options().write(true).open(kernels.join(&first)).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    run("7i64");
    (20..=22).for_each(|i| touch(&name(i), 30));
    fs::write(folder.join("three.fut"), "entry main (n: i64) = map (* 3) (iota n)\n").unwrap();
    build("three.fut");
    let left = run("7i64");
    assert_eq!((left.len(), left.contains(&first)), (6, true), "{left:?}");
}

/// Thresholds that are found go to a file, which tests and executables use; what is in it is checked.
#[test]
fn thresholds_are_found_and_used() {
    if !has_device() {
        return;
    }
    let folder = folder("autotune");
    let program = "-- ==\n-- input { [[1i32, 2], [3, 4]] } output { [3i32, 7] }\n-- input { [[5i32]] } output { [5i32] }\n\
                   entry main [n] [m] (xss: [n][m]i32): [n]i32 = map (\\xs -> reduce (+) 0 xs) xss\n";
    fs::write(folder.join("a.fut"), program).unwrap();
    let tuned = answer(&mut kenaz(&folder, &["autotune", "--backend", "opencl", "--runs", "1", "-v", "a.fut"]), "");
    assert_eq!(tuned.0, Some(0), "{}{}", tuned.1, tuned.2);
    assert!(tuned.1.contains("a.fut.tuning") && !tuned.1.contains("no thresholds"), "{}", tuned.1);
    let text = fs::read_to_string(folder.join("a.fut.tuning")).unwrap();
    let is_pair = |line: &str| line.split_once('=').is_some_and(|(_, n)| n.parse::<u64>().is_ok());
    assert!(text.lines().all(is_pair), "{text}");
    // One that is of another target changes nothing; what the file says is passed to the program.
    for (text, passes) in [("main.nothing=1\n", true), ("threads=0\nflat=0\n", true), ("threads\n", false)] {
        fs::write(folder.join("a.fut.tuning"), text).unwrap();
        let tested = answer(&mut kenaz(&folder, &["test", "--backend", "opencl", "a.fut"]), "");
        assert_eq!(tested.0 == Some(0), passes, "{text}{}", tested.1);
    }
    let tested = answer(&mut kenaz(&folder, &["test", "--backend", "opencl", "--no-tuning", "a.fut"]), "");
    assert_eq!(tested.0, Some(0), "{}", tested.1);
}
