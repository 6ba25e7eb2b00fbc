//! What a program is measured against that no compiler of the language has made: C with OpenMP, and NumPy. Both are
//! processes that obey lines; bench/omp/bench.h and bench/numpy/products.py say which.

use crate::process;
use crate::race::Runner;
use crate::session::{Session, flags, tool};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// It ends with its owner.
pub(crate) struct Rival {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rival {
    /// Compiles a program by hand with `$CC`, or cc, and starts it on an input.
    pub(crate) fn by_hand(session: &Session, source: &Path, input: &Path) -> Result<Rival> {
        let executable = session.file(&format!("omp-{}", source.file_stem().unwrap_or_default().display()));
        if !executable.exists() {
            let mut command = Command::new(tool("CC", "cc"));
            command.args(flags().split_whitespace()).args(["-fopenmp", "-o"]).arg(&executable).arg(source);
            process::run(command.arg("-lm"))?;
        }
        Rival::start(session, Command::new(executable).arg(input))
    }

    /// Starts NumPy on an input; `product` is the name of a function in the script.
    pub(crate) fn numpy(session: &Session, product: &str, input: &Path) -> Result<Rival> {
        Rival::start(session, Command::new(python()).arg(SCRIPT).arg(input).arg(product))
    }

    fn start(session: &Session, command: &mut Command) -> Result<Rival> {
        let threads = session.threads.to_string();
        let mut child = command
            .envs([("OMP_NUM_THREADS", &threads), ("OPENBLAS_NUM_THREADS", &threads)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start a rival")?;
        let (input, output) = (child.stdin.take().context("no input")?, child.stdout.take().context("no output")?);
        Ok(Rival { child, input, output: BufReader::new(output) })
    }

    fn ask(&mut self, command: &str) -> Result<String> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).context("the rival has ended")?;
        let mut line = String::new();
        if self.output.read_line(&mut line).context("the rival says no text")? == 0 {
            bail!("the rival ended at `{command}`");
        }
        Ok(line.trim_end().to_string())
    }
}

impl Runner for Rival {
    fn run(&mut self) -> Result<f64> {
        let line = self.ask("run")?;
        line.parse().with_context(|| format!("no time: {line}"))
    }

    fn store(&mut self, file: &Path) -> Result<()> {
        let line = self.ask(&format!("store {}", file.display()))?;
        if line != "stored" {
            bail!("the result is not stored: {line}");
        }
        Ok(())
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SCRIPT: &str = "bench/numpy/products.py";

fn python() -> PathBuf {
    tool("PYTHON", "python3")
}

/// Which NumPy there is, with which library; nothing if there is none.
pub(crate) fn numpy_version() -> Option<String> {
    let text = process::run(Command::new(python()).arg(SCRIPT).arg("--version")).ok()?;
    Some(text.trim().to_string())
}
