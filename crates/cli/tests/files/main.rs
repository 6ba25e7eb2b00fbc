//! The tests that are files, one test each: `cargo nextest run -p kenaz --test files FILTER`.
//!
//! `BLESS=1` rewrites what they expect. docs/contributing/testing.md says what is in which folder.

mod copies;
mod devices;
mod ir;
mod language;
mod place;
mod programs;
mod strategies;

use libtest_mimic::{Arguments, Failed};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

type Result = std::result::Result<(), Failed>;

fn main() -> ExitCode {
    let args = Arguments::from_args();
    kenaz_driver::fault::install_hook(kenaz_cli::output::fault);
    // Paths in messages are those of the repository, wherever that is.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).expect("the repository is there");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value != "0");
    let mut trials = language::trials(bless);
    trials.extend(copies::trials(bless));
    trials.extend(devices::trials());
    trials.extend(place::trials(bless));
    trials.extend(programs::trials());
    trials.extend(strategies::trials(bless));
    trials.extend(ir::trials(bless));
    libtest_mimic::run(&args, trials).exit_code()
}

/// The files of a folder with this extension, sorted; none when there is no such folder yet.
fn list(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths
}

fn read(path: impl AsRef<Path>) -> io::Result<String> {
    let path = path.as_ref();
    fs::read_to_string(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
