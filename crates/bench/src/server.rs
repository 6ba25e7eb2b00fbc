//! A compiled program as a server: <https://futhark.readthedocs.io/en/stable/server-protocol.html>.

use crate::race::Runner;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server of an entry point of a program. It ends with its owner.
pub(crate) struct Server {
    child: Child,
    entry: String,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    arguments: Vec<String>,
    results: Vec<String>,
    has_results: bool,
}

impl Server {
    pub(crate) fn start(executable: &Path, options: &[String], entry: &str) -> Result<Server> {
        let mut child = Command::new(executable)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", executable.display()))?;
        let (input, output) = (child.stdin.take().context("no input")?, child.stdout.take().context("no output")?);
        let mut server = Server {
            child,
            entry: entry.to_string(),
            input,
            output: BufReader::new(output),
            arguments: Vec::new(),
            results: Vec::new(),
            has_results: false,
        };
        server.answer("the start")?;
        server.results = (0..server.ask(&format!("outputs {entry}"))?.len()).map(|i| format!("result{i}")).collect();
        Ok(server)
    }

    /// Reads the arguments from a file.
    pub(crate) fn load(&mut self, file: &Path) -> Result<()> {
        let types = self.ask(&format!("inputs {}", self.entry))?;
        self.arguments = (0..types.len()).map(|i| format!("argument{i}")).collect();
        let mut command = format!("restore \"{}\"", file.display());
        for (name, ty) in self.arguments.iter().zip(&types) {
            command.push_str(&format!(" {name} \"{}\"", ty.trim_start_matches('*')));
        }
        self.ask(&command)?;
        Ok(())
    }

    /// The most memory that the process has had so far, in bytes, where the system tells.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
    }

    fn ask(&mut self, command: &str) -> Result<Vec<String>> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).context("the server has ended")?;
        self.answer(command)
    }

    fn answer(&mut self, to: &str) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let mut failed = false;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).context("the server says no text")? == 0 {
                bail!("the server ended at `{to}`");
            }
            match line.trim_end() {
                "%%% OK" if failed => bail!("`{to}`: {}", lines.join(" ")),
                "%%% OK" => return Ok(lines),
                "%%% FAILURE" => failed = true,
                line => lines.push(line.to_string()),
            }
        }
    }
}

impl Runner for Server {
    /// Runs the program on the arguments; the time is what it says itself.
    fn run(&mut self) -> Result<f64> {
        if self.has_results {
            self.ask(&format!("free {}", self.results.join(" ")))?;
            self.has_results = false;
        }
        let (results, arguments) = (self.results.join(" "), self.arguments.join(" "));
        let lines = self.ask(&format!("call {} {results} {arguments}", self.entry))?;
        self.has_results = true;
        let time = lines.iter().find_map(|line| line.strip_prefix("runtime: ")?.trim().parse().ok());
        time.context("the server does not say how long a call took")
    }

    fn store(&mut self, file: &Path) -> Result<()> {
        self.ask(&format!("store \"{}\" {}", file.display(), self.results.join(" ")))?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
