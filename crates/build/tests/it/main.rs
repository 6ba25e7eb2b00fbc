//! Programs are built as by build.rs, in a process of its own with the variables of Cargo, and used by one in Rust.

use kenaz_build::{Backend, Error, Program};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// What the build script of the tests is to build: file, back end and name, with blanks between.
const WANTED: &str = "KENAZ_BUILD_TEST";

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The C runs under them, and so does what is lost.
const SANITIZERS: &str = "-fsanitize=address,undefined";

/// A fresh folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// No test, but what the others run as a build script.
#[test]
fn build_script() {
    let Ok(wanted) = env::var(WANTED) else { return };
    let [file, backend, name] = wanted.split(' ').collect::<Vec<_>>()[..] else { panic!("{wanted}") };
    let backend = match backend {
        "c" => Backend::C,
        "opencl" => Backend::OpenCl,
        _ => Backend::Multicore,
    };
    Program::new(file).backend(backend).name(name).build();
}

/// The triple of this machine.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_string()
}

/// Runs the build script.
fn build(crate_folder: &Path, out: &Path, wanted: &str) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "build_script", "--nocapture"]).current_dir(crate_folder);
    command.env(WANTED, wanted).env("OUT_DIR", out).env("OPT_LEVEL", "1").env("DEBUG", "false");
    command.env("TARGET", host()).env("HOST", host()).env("CFLAGS", format!("-O1 {SANITIZERS}"));
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn generated_modules_are_used() {
    let out = folder("used");
    for wanted in ["every.fut multicore every", "every.fut c one_core"] {
        let built = build(&programs(), &out, wanted);
        assert!(built.status.success(), "{}{}", text(&built.stdout), text(&built.stderr));
        let said = text(&built.stdout);
        for line in ["cargo:rerun-if-changed=every.fut", "cargo:rerun-if-changed=lib.fut", "cargo:rustc-link-lib=m"] {
            assert!(said.lines().any(|said| said == line), "`{line}` is not in {said}");
        }
    }
    let user = out.join("user");
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "-C", "debug-assertions"]).arg(programs().join("user.rs")).arg("-o").arg(&user);
    command.arg("-L").arg(&out).args(["-l", "static=kenaz_every", "-l", "static=kenaz_one_core", "-l", "m"]);
    // rustc asks for no libraries but those that it names.
    command.args(["-C", "link-args=-lasan -lubsan"]);
    let compiled = command.env("OUT_DIR", &out).output().unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    // Nor does it put them first, as the sanitizer wants to be.
    let library = Command::new("cc").arg("-print-file-name=libasan.so").output().unwrap();
    let ran = Command::new(&user).env("LD_PRELOAD", text(&library.stdout).trim()).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    // The comment of an entry point is that of its method.
    let module = fs::read_to_string(out.join("every.rs")).unwrap();
    let comment = "    /// The sum of products.\n    ///\n    /// Of two vectors.\n    pub fn dot<'a>(";
    assert!(module.contains(comment), "{module}");
}

/// With OpenCL, which a program loads when it runs.
#[test]
fn generated_modules_for_a_device() {
    let out = folder("device");
    let built = build(&programs(), &out, "every.fut opencl device");
    assert!(built.status.success(), "{}{}", text(&built.stdout), text(&built.stderr));
    let user = out.join("user");
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024"]).arg(programs().join("device.rs")).arg("-o").arg(&user).arg("-L").arg(&out);
    command.args(["-l", "static=kenaz_device", "-l", "m", "-l", "dl", "-C", "link-args=-lasan -lubsan"]);
    let compiled = command.env("OUT_DIR", &out).output().unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    let library = Command::new("cc").arg("-print-file-name=libasan.so").output().unwrap();
    let mut command = Command::new(&user);
    // The libraries of a device keep what they have.
    command.env("LD_PRELOAD", text(&library.stdout).trim()).env("ASAN_OPTIONS", "detect_leaks=0");
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let said = text(&ran.stdout);
    assert!(said == "used\n" || said.contains("OpenCL"), "{said}");
}

#[test]
fn programs_that_are_not_right_end_the_build() {
    let crate_folder = folder("wrong");
    fs::write(crate_folder.join("lib.fut"), "def one: i32 = two\n").unwrap();
    fs::write(crate_folder.join("wrong.fut"), "import \"lib\"\nentry main (x: i32) = x + one\n").unwrap();
    let built = build(&crate_folder, &crate_folder, "wrong.fut c wrong");
    assert!(!built.status.success());
    let said = text(&built.stderr);
    assert!(said.contains("error[unknown-name]: ") && said.contains("1 | def one: i32 = two\n"), "{said}");
    assert!(said.contains("^^^"), "{said}");
    // It is tried again when one of its files has changed.
    assert!(text(&built.stdout).contains("cargo:rerun-if-changed=lib.fut\n"), "{}", text(&built.stdout));
    assert!(!crate_folder.join("wrong.rs").exists());
}

#[test]
fn warnings_are_passed_on() {
    let crate_folder = folder("warned");
    fs::write(crate_folder.join("warned.fut"), "entry main (x: i32) =\n  let y = x in 2i32\n").unwrap();
    let built = build(&crate_folder, &crate_folder, "warned.fut c warned");
    assert!(built.status.success(), "{}", text(&built.stderr));
    assert!(text(&built.stdout).contains("cargo:warning=warning[unused-"), "{}", text(&built.stdout));
}

#[test]
fn what_cannot_be_built() {
    let program = Program::new("a-b.fut").name("a-b");
    assert!(matches!(program.try_build(), Err(Error::Usage(said)) if said.contains("`a-b`")));
    let program = Program::new("no-such-file.fut").out_dir(env!("CARGO_TARGET_TMPDIR"));
    assert!(matches!(program.try_build(), Err(Error::Program(said)) if said.contains("no-such-file.fut")));
}
