//! `cargo xtask test` and `cargo xtask bless`.

use crate::progress::{Build, Tests};
use crate::step::{cargo, run, step, watch, works};
use crate::{foreign, nvrtc, python};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, io};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lints {
    Checked,
    LeftOut,
}

/// Whether all holds that must. The last line printed is `N passed, N failed`.
pub(crate) fn test(lints: Lints) -> Result<bool> {
    for component in ["fmt", "clippy"] {
        if !works(&mut cargo(&format!("{component} --version"))) {
            println!("`cargo {component}` is missing, installing it");
            let package = if component == "fmt" { "rustfmt" } else { component };
            run(Command::new("rustup").args(["component", "add", package]))
                .with_context(|| format!("please install the Rust component `{package}`"))?;
        }
    }
    // A failed step does not hide the results of the next.
    let mut steps = Steps::default();
    steps.run("format", || run(&mut cargo("fmt --all --check")));
    if lints == Lints::Checked {
        steps.run("lints", || compile("clippy --workspace --all-targets --locked -- -D warnings"));
        // A browser has no processes and loads no libraries.
        steps
            .run("portable", || compile("clippy --package kenaz-driver --no-default-features --locked -- -D warnings"));
    }
    let runner = Runner::find();
    let tests = Mutex::new(Tests::default());
    if steps.run("build", || compile(runner.build())) {
        if !works(&mut cargo("run --quiet --locked --package kenaz -- devices opencl")) {
            println!("There is no device for OpenCL, so that the tests of programs for one test nothing.");
            println!("One that needs no hardware is in Debian's packages pocl-opencl-icd and ocl-icd-libopencl1.");
            if std::env::var_os("CI").is_some() {
                steps.run("opencl", || bail!("there is no device for OpenCL; `kenaz devices` says why"));
            }
        }
        steps.run("tests", || run_tests(runner, &tests));
        if matches!(runner, Runner::Nextest) {
            // It does not run the examples in comments.
            steps.run("examples", || {
                run(&mut cargo("test --quiet --locked --doc --package kenaz-lib --package kenaz-build"))
            });
        }
        if nvrtc::libraries().is_some() || std::env::var_os("CI").is_some() {
            steps.run("nvrtc", || nvrtc::nvrtc(&[]));
        } else {
            println!("There is no NVRTC, so that no compiler of CUDA has seen our kernels. Get it with");
            println!("  {}", nvrtc::HINT);
        }
        if foreign::has_python() || std::env::var_os("CI").is_some() {
            steps.run("foreign", foreign::python);
        } else {
            println!(
                "The clients from PyPI are not there, so that none has used our libraries and servers. Get them with"
            );
            println!("  {}", foreign::HINT);
        }
        if python::is_there() || std::env::var_os("CI").is_some() {
            steps.run("python", || python::test(&[]));
        } else {
            println!("There is no maturin, so that the package for Python is neither built nor tested. Get it with");
            println!("  {}", python::HINT);
        }
    }
    let tests = tests.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let slowest = tests.slowest(10);
    if !slowest.is_empty() {
        println!("The tests that took longest:");
    }
    for (seconds, name) in slowest {
        println!("{seconds:9.1} s  {name}");
    }
    println!("Where the time went:");
    for (name, time) in &steps.times {
        println!("{:9.1} s  {name}", time.as_secs_f64());
    }
    for (name, error) in &steps.failed {
        println!("{name}: {error:#}");
    }
    println!("{} passed, {} failed", tests.passed, tests.failed);
    Ok(steps.failed.is_empty())
}

/// Rewrites the expectations of tests whose name contains a filter, or of all.
pub(crate) fn bless(filters: &[&str]) -> Result<()> {
    // The tests that are files take one filter at most.
    let one = |filter: Option<&&str>| {
        let mut command = cargo("test --quiet --workspace --no-fail-fast --");
        run(command.env("BLESS", "1").args(filter))
    };
    if filters.is_empty() { one(None) } else { filters.iter().try_for_each(|filter| one(Some(filter))) }
}

/// What was done, how long it took, and what went wrong.
#[derive(Default)]
struct Steps {
    times: Vec<(&'static str, Duration)>,
    failed: Vec<(&'static str, anyhow::Error)>,
}

impl Steps {
    /// Whether the step succeeded.
    fn run(&mut self, name: &'static str, f: impl FnOnce() -> Result<()>) -> bool {
        let start = Instant::now();
        let result = step(name, f);
        self.times.push((name, start.elapsed()));
        let is_ok = result.is_ok();
        self.failed.extend(result.err().map(|error| (name, error)));
        is_ok
    }
}

fn compile(args: &str) -> Result<()> {
    if !watch(&mut cargo(args), &Mutex::new(Build::default()))? {
        bail!("`cargo {args}` failed");
    }
    Ok(())
}

/// What runs the tests: nextest where it is installed.
#[derive(Clone, Copy)]
enum Runner {
    Nextest,
    Cargo,
}

impl Runner {
    fn find() -> Runner {
        if works(&mut cargo("nextest --version")) { Runner::Nextest } else { Runner::Cargo }
    }

    fn build(self) -> &'static str {
        match self {
            Runner::Nextest => "nextest run --workspace --locked --no-run",
            Runner::Cargo => "test --workspace --locked --no-run",
        }
    }

    fn run(self) -> &'static str {
        match self {
            Runner::Nextest => {
                "nextest run --workspace --locked --no-fail-fast --status-level all --final-status-level fail"
            }
            Runner::Cargo => "test --workspace --locked --no-fail-fast",
        }
    }
}

/// Unit tests, file tests and the hygiene test.
fn run_tests(runner: Runner, tests: &Mutex<Tests>) -> Result<()> {
    let temporary = empty_folder().context("no folder for temporary files")?;
    let is_ok = watch(cargo(runner.run()).env("TMPDIR", &temporary), tests)?;
    let left = fs::read_dir(&temporary)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let left: Vec<String> = left.collect::<io::Result<_>>()?;
    let tests = tests.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !tests.ended {
        bail!("the test runner printed no result");
    }
    if !is_ok || tests.failed > 0 {
        bail!("some failed");
    }
    if !left.is_empty() {
        bail!("left behind in {}: {}", temporary.display(), left.join(", "));
    }
    Ok(())
}

/// A folder for what tests keep for a while, which must be empty again when they have run.
fn empty_folder() -> io::Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    let folder = std::path::absolute(target.join("xtask-test"))?;
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
