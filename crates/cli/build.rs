//! Embeds the pages of docs/errors: writes a table of them that `explain_error.rs` includes.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let pages = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut paths: Vec<PathBuf> = match fs::read_dir(&pages) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();

    let mut table = String::from("&[\n");
    for path in paths {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.canonicalize()?;
        writeln!(table, "    ({id:?}, include_str!({:?})),", path.display().to_string()).expect("strings grow");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("error_pages.rs"), table)
}
