//! The compiler for ThreadSanitizer: gcc's OpenMP does not tell it what its threads wait for, so that it finds races
//! where there are none.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A clang with its OpenMP.
#[derive(Clone, Debug)]
pub struct Clang {
    pub command: String,
    /// The library that tells ThreadSanitizer what OpenMP does.
    pub tells: PathBuf,
}

impl Clang {
    /// `$CC` if that is one, or the first of those with the usual names.
    pub fn find() -> Result<Clang> {
        let chosen = std::env::var("CC").ok();
        let mut commands = chosen.iter().map(String::as_str).chain(["clang-15", "clang"]);
        let found = commands.find_map(|command| Some(Clang { command: command.to_string(), tells: beside(command)? }));
        found.context("ThreadSanitizer needs a clang with OpenMP, in Debian the packages clang-15 and libomp-15-dev")
    }
}

/// Where the library is that comes with a compiler.
fn beside(command: &str) -> Option<PathBuf> {
    let said = Command::new(command).arg("-print-prog-name=clang").output().ok()?;
    let library = Path::new(String::from_utf8_lossy(&said.stdout).trim()).ancestors().nth(2)?.join("lib/libarcher.so");
    library.is_file().then_some(library)
}
