//! The programs in C++; bench/c/cpp/bench.hpp says how they are called.

use crate::process;
use crate::session::{flags, tool};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program with `$CXX`, or g++.
pub(crate) fn compile(source: &Path, executable: &Path) -> Result<PathBuf> {
    let mut command = Command::new(tool("CXX", "g++"));
    command.arg("-std=c++17").args(flags().split_whitespace()).arg(source).arg("-o").arg(executable);
    process::run(&mut command)?;
    Ok(executable.to_path_buf())
}

/// The microseconds of each of a number of runs, whose result is written to a file.
pub(crate) fn time(program: &Path, input: &Path, result: &Path, runs: u32) -> Result<Vec<f64>> {
    let mut command = Command::new(program);
    let text = process::run(command.arg(input).arg(result).arg(runs.to_string()))?;
    text.lines().map(|line| line.parse().with_context(|| format!("no time: {line}"))).collect()
}
