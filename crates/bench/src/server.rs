//! An entry point of a compiled program, ours or the peer's, in a server that calls it again and again.

use crate::race::Runner;
use anyhow::{Context, Result};
use kenaz_driver::native::server::Server as Connection;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A server of an entry point of a program. It ends with its owner.
pub(crate) struct Server {
    connection: Connection,
    entry: String,
    arguments: Vec<String>,
    results: Vec<String>,
    has_results: bool,
}

impl Server {
    /// No command may take longer than `patience`.
    pub(crate) fn start(executable: &Path, options: &[String], entry: &str, patience: Duration) -> Result<Server> {
        let connection = Connection::start_as(Command::new(executable).args(options), Stdio::null(), patience)
            .with_context(|| format!("cannot start {}", executable.display()))?;
        let (arguments, results) = (Vec::new(), Vec::new());
        let mut server = Server { connection, entry: entry.to_string(), arguments, results, has_results: false };
        server.results = (0..server.ask(&["outputs", entry])?.lines().count()).map(|i| format!("result{i}")).collect();
        Ok(server)
    }

    /// Reads the arguments from a file.
    pub(crate) fn load(&mut self, file: &Path) -> Result<()> {
        let entry = self.entry.clone();
        self.arguments = self.restore(&entry, "argument", file)?;
        Ok(())
    }

    /// Has another entry point make the arguments from its own, which are in a file.
    pub(crate) fn make(&mut self, maker: &str, file: &Path) -> Result<()> {
        let given = self.restore(maker, "constant", file)?;
        let count = self.ask(&["outputs", maker])?.lines().count();
        self.arguments = (0..count).map(|i| format!("argument{i}")).collect();
        let words = [vec!["call".to_string(), maker.to_string()], self.arguments.clone(), given.clone()].concat();
        self.ask(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
        let words = [vec!["free".to_string()], given].concat();
        self.ask(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(())
    }

    /// Reads the arguments of an entry point from a file, and gives their names.
    fn restore(&mut self, entry: &str, base: &str, file: &Path) -> Result<Vec<String>> {
        let answer = self.ask(&["inputs", entry])?;
        let types: Vec<&str> = answer.lines().map(|ty| ty.trim_start_matches('*')).collect();
        let names: Vec<String> = (0..types.len()).map(|i| format!("{base}{i}")).collect();
        let file = file.to_string_lossy();
        let mut words = vec!["restore", &file];
        words.extend(names.iter().zip(types).flat_map(|(name, ty)| [name, ty]));
        self.ask(&words)?;
        Ok(names)
    }

    /// The most memory that the process has had so far, in bytes, where the system tells.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.connection.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
    }

    /// The most memory of the device that values and temporaries have had so far, in bytes, if the server tells.
    pub(crate) fn peak_device_memory(&mut self) -> Option<u64> {
        device_memory(&self.ask(&["report"]).ok()?)
    }

    fn ask(&mut self, words: &[&str]) -> Result<String> {
        self.connection.ask(words).with_context(|| format!("the command `{}`", words.join(" ")))
    }

    /// A command about the results.
    fn ask_of_results(&mut self, words: &[&str]) -> Result<String> {
        let results = self.results.clone();
        self.ask(&[words, &results.iter().map(String::as_str).collect::<Vec<_>>()].concat())
    }
}

impl Runner for Server {
    /// Runs the program on the arguments; the time is what it says itself.
    fn run(&mut self) -> Result<f64> {
        if self.has_results {
            self.ask_of_results(&["free"])?;
            self.has_results = false;
        }
        let names =
            [vec!["call".to_string(), self.entry.clone()], self.results.clone(), self.arguments.clone()].concat();
        let answer = self.ask(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.has_results = true;
        let time = answer.lines().find_map(|line| line.strip_prefix("runtime: ")?.trim().parse().ok());
        time.context("the server does not say how long a call took")
    }

    fn store(&mut self, file: &Path) -> Result<()> {
        self.ask_of_results(&["store", &file.to_string_lossy()])?;
        Ok(())
    }
}

/// What a report says about the memory of the device; the peer has memory of the host beside it.
fn device_memory(report: &str) -> Option<u64> {
    let report: serde_json::Value = serde_json::from_str(report.trim()).ok()?;
    let spaces = report.get("memory")?.as_object()?;
    spaces.iter().find(|(name, _)| name.contains("device"))?.1.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_both_tell_the_memory_of_the_device() {
        assert_eq!(device_memory("{\"memory\":{\"device space\": 12},\"events\":[]}\n"), Some(12));
        let peer = "{\"memory\":{\"space 'device'\": 34,\"default space\": 5},\"events\":[]}";
        assert_eq!(device_memory(peer), Some(34));
        assert_eq!(device_memory("{\"memory\":{\"default space\": 5}}"), None);
        assert_eq!(device_memory("no report"), None);
    }
}
