//! Explanations of whole programs.

mod account;
mod costs;
mod facts;
mod run;
mod shown;

use kenaz_base::{FileSystem, MemoryFileSystem, RealFileSystem};
use kenaz_driver::{Compilation, Compiler};
use kenaz_explain::{Explanation, explain};
use kenaz_ir::{Ownership, Stage, Target};
use std::path::{Path, PathBuf};

fn compiled(fs: &dyn FileSystem, path: &Path, target: &'static Target) -> Compilation {
    let stage = Stage::Memory(Ownership::Settled);
    Compiler::new(fs, target).to(path, stage).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The explanation of a program in `a.fut`.
fn of_text(text: &str, target: &'static Target) -> Explanation {
    explain(&compiled(&MemoryFileSystem::new().with("a.fut", text), Path::new("a.fut"), target))
}

fn of_file(path: &Path, target: &'static Target) -> (Compilation, Explanation) {
    let compilation = compiled(&RealFileSystem, path, target);
    let explanation = explain(&compilation);
    (compilation, explanation)
}

/// The programs directly in a folder of the repository.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "fut")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are no programs in {}", folder.display());
    paths
}
