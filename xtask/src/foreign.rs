//! `cargo xtask foreign`: clients that others have written for libraries and servers, unchanged, with ours. Those from
//! PyPI are part of `cargo xtask test`, the others are run by hand. docs/clients.md has the results.

use crate::step::{kenaz, run, step, works};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The programs and their users.
const TESTS: &str = "tests/foreign";
const FOLDER: &str = "target/foreign";
const PYTHON: &str = "target/foreign/venv/bin/python3";
const USAGE: &str = "usage: cargo xtask foreign [--ours PATH] [--peer PATH] [python|rust|peer]…";

/// How to get the clients from PyPI.
pub(crate) const HINT: &str = "python3 -m venv target/foreign/venv && \
                               target/foreign/venv/bin/pip install -r tests/foreign/requirements.txt";

/// Whether the clients from PyPI are there.
pub(crate) fn has_python() -> bool {
    works(Command::new(PYTHON).args(["-c", "import futhark_server, futhark_data, futhark_ffi"]))
}

/// Whether all that is there went well; what is missing is said, and is an error where it was asked for by name.
pub(crate) fn foreign(args: &[&str]) -> Result<bool> {
    let (mut ours, mut peer, mut kinds) = (None, "futhark", Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--ours" => ours = Some(PathBuf::from(args.next().context(USAGE)?)),
            "--peer" => peer = args.next().context(USAGE)?,
            kind if ["python", "rust", "peer"].contains(&kind) => kinds.push(kind),
            _ => bail!(USAGE),
        }
    }
    let tools = Tools::new(ours)?;
    let mut fine = true;
    for (kind, missing) in [("python", missing_python()), ("rust", missing_rust()), ("peer", missing_peer(peer))] {
        if !kinds.is_empty() && !kinds.contains(&kind) {
            continue;
        }
        let ran = match (missing, kind) {
            (Some(missing), _) => {
                println!("{kind} is left out: {missing}");
                kinds.is_empty()
            }
            (None, "python") => step(kind, || tools.python()).inspect_err(say).is_ok(),
            (None, "rust") => step(kind, || tools.rust()).inspect_err(say).is_ok(),
            (None, _) => step(kind, || tools.peer(peer)).inspect_err(say).is_ok(),
        };
        fine &= ran;
    }
    Ok(fine)
}

fn say(error: &anyhow::Error) {
    println!("{error:#}");
}

/// The clients from PyPI alone.
pub(crate) fn python() -> Result<()> {
    if let Some(missing) = missing_python() {
        bail!(missing);
    }
    Tools::new(None)?.python()
}

fn missing_python() -> Option<String> {
    (!has_python()).then(|| format!("the clients from PyPI are not there; get them with\n  {HINT}"))
}

fn missing_rust() -> Option<String> {
    // bindgen, which two of the clients use, loads it.
    let clang = works(Command::new("sh").args(["-c", "ldconfig -p | grep -q libclang || llvm-config --version"]));
    (!clang).then(|| "bindgen needs libclang, which is in Debian's package libclang-dev".to_string())
}

fn missing_peer(peer: &str) -> Option<String> {
    let works = works(Command::new(peer).arg("--version"));
    (!works).then(|| format!("there is no `{peer}`; `--peer PATH` says where a Futhark compiler is"))
}

/// What the clients need: our compiler, by the name that they call, and a way to link OpenCL.
struct Tools {
    kenaz: PathBuf,
    folder: PathBuf,
    backends: Vec<&'static str>,
}

impl Tools {
    fn new(ours: Option<PathBuf>) -> Result<Tools> {
        let kenaz = kenaz(ours)?;
        fs::create_dir_all(FOLDER)?;
        let folder = fs::canonicalize(FOLDER)?;
        for part in ["bin", "lib"] {
            empty(&folder.join(part))?;
        }
        std::os::unix::fs::symlink(&kenaz, folder.join("bin/futhark"))?;
        // A machine that runs programs for OpenCL may lack the name by which others are linked.
        fs::write(folder.join("lib/libOpenCL.so"), "INPUT(-l:libOpenCL.so.1)\n")?;
        let mut backends = vec!["c", "multicore"];
        if works(Command::new(&kenaz).args(["devices", "opencl"])) {
            backends.push("opencl");
        } else {
            println!("There is no device for OpenCL, so that nothing is run on one.");
        }
        Ok(Tools { kenaz, folder, backends })
    }

    /// A command that finds our compiler as `futhark`.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Result<Command> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([self.folder.join("bin")].into_iter().chain(std::env::split_paths(&path)))?;
        let mut command = Command::new(program);
        command.env("PATH", path).env("LIBRARY_PATH", self.folder.join("lib"));
        Ok(command)
    }

    fn python(&self) -> Result<()> {
        let folder = self.folder.join("python");
        empty(&folder)?;
        let mut command = self.command(PYTHON)?;
        command.arg(format!("{TESTS}/clients.py")).arg(&self.kenaz).arg(format!("{TESTS}/clients.fut")).arg(folder);
        run(command.args(&self.backends).env("CFLAGS", "-O0").env("PYTHONDONTWRITEBYTECODE", "1"))
    }

    fn rust(&self) -> Result<()> {
        let has_device = self.backends.contains(&"opencl");
        println!("futhark-bindgen 0.2.8, cargo-futhark 0.2.0, genfut 0.5.0 on {}", self.backends.join(", "));
        let bindgen = Path::new(TESTS).join("rust/futhark-bindgen");
        self.cargo(&bindgen, &["run", "--locked"])?;
        for feature in &self.backends[1..] {
            self.cargo(&bindgen, &["run", "--locked", "--features", feature])?;
        }
        let features: &[&str] = if has_device { &["--features", "opencl"] } else { &[] };
        self.cargo(&Path::new(TESTS).join("rust/cargo-futhark"), &[&["run", "--locked"], features].concat())?;
        self.genfut()
    }

    /// `genfut` writes a crate, beside which goes a copy of its user.
    fn genfut(&self) -> Result<()> {
        let root = self.folder.join("genfut");
        let mut install = self.command("cargo")?;
        install.args(["install", "--quiet", "--locked", "genfut@0.5.0", "--root"]).arg(&root);
        run(install.env("CARGO_TARGET_DIR", self.folder.join("cargo")))?;
        let program = fs::canonicalize(TESTS)?.join("clients.fut");
        for backend in &self.backends {
            let folder = root.join("made");
            empty(&folder.join("user/src"))?;
            let mut make = self.command(root.join("bin/genfut"))?;
            make.args(["--backend", backend, "clients"]).arg(&program);
            run(make.current_dir(&folder).stdout(Stdio::null()))?;
            for file in ["Cargo.toml", "src/main.rs"] {
                fs::copy(Path::new(TESTS).join("rust/genfut").join(file), folder.join("user").join(file))?;
            }
            self.cargo(&folder.join("user"), &["run"])?;
        }
        Ok(())
    }

    /// Cargo in a folder, with little to say unless it fails: that our generated text lives in theirs makes warnings.
    fn cargo(&self, folder: &Path, args: &[&str]) -> Result<()> {
        let mut command = self.command("cargo")?;
        command.args(args).current_dir(folder).env("CARGO_TARGET_DIR", self.folder.join("cargo"));
        answer(&mut command).map(drop)
    }

    fn peer(&self, peer: &str) -> Result<()> {
        let said = answer(Command::new(peer).arg("--version"))?;
        println!("{} on {}", said.lines().next().unwrap_or_default(), self.backends.join(", "));
        let folder = self.folder.join("peer");
        empty(&folder)?;
        for entry in fs::read_dir(Path::new(TESTS).join("peer"))? {
            let entry = entry?;
            fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
        let tool = |name: &str, backend: &str, args: &[&str]| {
            let mut command = Command::new(peer);
            command.arg(name).arg(format!("--futhark={}", self.kenaz.display())).arg(format!("--backend={backend}"));
            command.args(args).current_dir(&folder);
            command
        };
        for backend in &self.backends {
            answer(&mut tool("test", backend, &["blocks.fut"]))?;
            refusal(&mut tool("test", backend, &["wrong.fut"]), "expected 3, got 2")?;
            answer(&mut tool(
                "bench",
                backend,
                &["--runs=3", "--no-convergence-phase", "--json=times.json", "blocks.fut"],
            ))?;
            let times = fs::read_to_string(folder.join("times.json"))?;
            for name in ["blocks.fut:sum", "[10000]i32", "blocks.fut:norm2", "runtimes"] {
                holds(&times, name)?;
            }
            answer(&mut tool("literate", backend, &["literate.fut"]))?;
            let page = fs::read_to_string(folder.join("literate.md"))?;
            holds(&page, "```\n144i32\n```")?;
            holds(&page, "```\n([0.0f64, 1.0f64, 2.0f64], 10.0f64)\n```")?;
            holds(
                &answer(&mut tool("script", backend, &["literate.fut", "(square 3i32, total (row 4i64))"]))?,
                "(9i32, 6.0f64)",
            )?;
        }
        if self.backends.contains(&"opencl") {
            answer(&mut tool("autotune", "opencl", &["blocks.fut"]))?;
        }
        Ok(())
    }
}

/// What a command prints, which must succeed.
fn answer(command: &mut Command) -> Result<String> {
    let output = finish(command)?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", said(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command that must fail, and say why.
fn refusal(command: &mut Command, why: &str) -> Result<()> {
    let output = finish(command)?;
    if output.status.success() || !said(&output).contains(why) {
        bail!("{command:?} should have failed with `{why}`:\n{}", said(&output));
    }
    Ok(())
}

fn finish(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn holds(text: &str, part: &str) -> Result<()> {
    if !text.contains(part) {
        bail!("`{part}` is not in:\n{text}");
    }
    Ok(())
}

/// Makes a folder with nothing in it.
fn empty(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    Ok(fs::create_dir_all(folder)?)
}
