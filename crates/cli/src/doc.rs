//! `kenaz doc`: HTML from the comments of programs.

use crate::check::outcome_of;
use crate::program::{mistake, print};
use crate::{Outcome, output};
use kenaz_base::fs::normalise;
use kenaz_base::{RealFileSystem, Severity, UnfinishedFile};
use kenaz_document::{GENERATOR, Page, load, site};
use kenaz_testing::find_programs;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Make HTML pages from the comments of programs
///
/// Comments that begin with `-- |` are about the definition that follows, or at the beginning of a file about the file.
/// They are Markdown; names in backticks become links. Types are those of the compiler. The pages need no network, and
/// FOLDER/index.html is the first of them.
#[derive(clap::Args)]
pub struct Args {
    /// Programs, and folders in which to look for programs; without any, the pages are about the prelude
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Where the pages go; a folder that is there already must have been made by this command
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,

    /// What the pages are called
    #[arg(long, value_name = "TITLE", default_value = "Documentation")]
    title: String,
}

pub fn run(args: &Args) -> Outcome {
    let mut files = Vec::new();
    for path in &args.paths {
        match find_programs(path) {
            Ok(found) => files.extend(found),
            Err(error) => return mistake(&format!("`{}` cannot be read: {error}", path.display())),
        }
    }
    let mut checked = match load(&files, &RealFileSystem) {
        Ok(checked) => checked,
        Err(path) => {
            return mistake(&format!("`{}` cannot be imported; give it a name that ends with `.fut`", path.display()));
        }
    };
    let mut diagnostics = std::mem::take(&mut checked.diagnostics).into_sorted();
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    print(&checked.sources, &diagnostics);
    if outcome_of(&diagnostics) != Outcome::Right {
        return outcome_of(&diagnostics);
    }
    let pages = site(&checked, &args.title);
    // Without a slash at its end, behind which something else would be put.
    let folder = normalise(&args.output);
    match write(&pages, &folder) {
        Ok(()) => {
            let index = folder.join("index.html");
            output::to_stdout(&format!("{}\n", index.display())).map_or_else(|failure| failure, |()| Outcome::Right)
        }
        Err(WriteError::Occupied) => mistake(&format!(
            "`{}` is there already, and not from `kenaz doc`; choose another folder, or remove it",
            folder.display()
        )),
        Err(WriteError::Io(error)) => mistake(&format!("`{}` cannot be written: {error}", folder.display())),
    }
}

enum WriteError {
    Occupied,
    Io(io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

/// Makes a folder with the pages, which takes the place of one with older pages when it is complete.
fn write(pages: &[Page], folder: &Path) -> Result<(), WriteError> {
    let is_empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let is_ours = || {
        fs::read_to_string(folder.join("index.html"))
            .is_ok_and(|index| index.contains(&format!("content=\"{GENERATOR}\"")))
    };
    let is_there = fs::symlink_metadata(folder).is_ok();
    if is_there && !is_empty && !is_ours() {
        return Err(WriteError::Occupied);
    }
    let new = UnfinishedFile::beside(folder);
    for Page { path, text } in pages {
        let file = new.path().join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    if is_there {
        fs::remove_dir_all(folder)?;
    }
    Ok(new.finish(folder)?)
}
