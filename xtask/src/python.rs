//! `cargo xtask wheel` and `cargo xtask python`: the package for Python, built by maturin, and its tests in an
//! environment that has nothing else.

use crate::step::{run, step, works};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where maturin is.
const TOOLS: &str = "python";
/// Where the package is tried.
const EMPTY: &str = "python-test";

/// How to get maturin.
pub(crate) const HINT: &str = "python3 -m venv target/python && target/python/bin/pip install 'maturin>=1.9,<2'";

fn target() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    std::path::absolute(target).context("there is no folder for what is built")
}

fn maturin() -> Result<PathBuf> {
    Ok(target()?.join(TOOLS).join("bin/maturin"))
}

/// Whether the package can be built.
pub(crate) fn is_there() -> bool {
    maturin().is_ok_and(|maturin| works(Command::new(maturin).arg("--version")))
}

/// Builds the wheel, for others to use unless `--dev` is given: then it has the crates of the tests.
pub(crate) fn wheel(args: &[&str]) -> Result<PathBuf> {
    let profile = match args {
        [] => "release",
        ["--dev"] => "dev",
        _ => bail!("usage: cargo xtask wheel [--dev]"),
    };
    if !is_there() {
        bail!("maturin is not there, which builds the package for Python; get it with\n  {HINT}");
    }
    let out = target()?.join("wheels").join(profile);
    // What is there when maturin has run is what it has made.
    match fs::remove_dir_all(&out) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let mut command = Command::new(maturin()?);
    command.args(["build", "--quiet", "--locked", "--profile", profile, "--compatibility", "linux", "--out"]).arg(&out);
    command.arg("--interpreter").arg(target()?.join(TOOLS).join("bin/python3"));
    command.env("CARGO_TARGET_DIR", target()?).current_dir("python");
    run(&mut command).context("the wheel was not built")?;
    let entries = fs::read_dir(&out).with_context(|| out.display().to_string())?;
    let wheels: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let [wheel] = &wheels[..] else { bail!("maturin has made {} wheels", wheels.len()) };
    println!("{}", wheel.display());
    Ok(wheel.clone())
}

/// Builds the wheel, installs it where nothing else is, and runs its tests; filters choose among them.
pub(crate) fn test(args: &[&str]) -> Result<()> {
    let (profile, filters) = match args {
        ["--release", filters @ ..] => (&[][..], filters),
        filters => (&["--dev"][..], filters),
    };
    let mut built = None;
    step("wheel", || {
        built = Some(wheel(profile)?);
        Ok(())
    })?;
    let wheel = built.context("there is no wheel")?;
    let environment = target()?.join(EMPTY);
    let python = environment.join("bin/python3");
    step("environment", || install(&environment, &python, &wheel))?;
    // Not in the folder of the package, so that it is not found there instead of what was installed.
    let tests = fs::canonicalize("python/tests")?;
    let mut command = Command::new(&python);
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"]).arg(&tests).arg(&tests);
    if !filters.is_empty() {
        command.args(["-k", &filters.join(" or ")]);
    }
    command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&environment);
    run(&mut command).context("some tests of the package for Python failed")
}

fn install(environment: &Path, python: &Path, wheel: &Path) -> Result<()> {
    let tools = target()?.join(TOOLS).join("bin/python3");
    run(Command::new(tools).args(["-m", "venv", "--clear"]).arg(environment))?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).arg(wheel).arg("pytest");
    run(&mut pip).context("the wheel was not installed; it needs NumPy, which comes from the network")
}
