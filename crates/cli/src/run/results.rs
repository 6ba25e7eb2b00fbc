//! The results of an entry point, to files and to standard output.

use super::arguments::{fields, part_of};
use crate::data::{Destination, NamedFile, format, is_standard, named_file};
use crate::{Outcome, output};
use kenaz_base::SourceMap;
use kenaz_runtime::{EntryPoint, EntryType, Format, Value, WriteError, write};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Default)]
pub(super) struct OutputArgs {
    /// Write the results to this file, `-` for standard output; with a name, that of a field of the result or, where
    /// there are several results, the number of one of them from 0. Several files without a name get a result each
    #[arg(short, long = "output", value_name = "[NAME=]FILE", value_parser = named_file())]
    outputs: Vec<NamedFile>,

    /// The format of the output. By default the name of the file tells, and otherwise it is text
    #[arg(long, value_parser = format())]
    format: Option<Format>,
}

/// What goes where.
pub(super) struct Outputs {
    files: Vec<(Destination, PathBuf, Contents)>,
    stdout: Option<Contents>,
}

/// Some of the results, and the format in which they are written.
struct Contents {
    format: Format,
    /// Each with its place among all parts of all results.
    pieces: Vec<Piece>,
}

#[derive(Clone)]
struct Piece {
    ty: EntryType,
    parts: Range<usize>,
}

impl Outputs {
    /// Decides where the results go, and makes sure that they can get there.
    pub(super) fn new(args: &OutputArgs, entry: &EntryPoint, sources: &SourceMap) -> Result<Outputs, String> {
        let results = pieces(entry);
        let mut is_named = vec![false; results.len()];
        let mut wanted: Vec<(&Path, Vec<Piece>)> = Vec::new();
        for output in &args.outputs {
            if let Some(name) = &output.name {
                let (index, piece) = find(entry, &results, name)?;
                is_named[index] = true;
                wanted.push((&output.path, vec![piece]));
            }
        }
        let left: Vec<Piece> =
            results.iter().zip(is_named).filter(|(_, named)| !named).map(|(r, _)| r.clone()).collect();
        let files: Vec<&Path> = args.outputs.iter().filter(|o| o.name.is_none()).map(|o| o.path.as_path()).collect();
        let mut stdout = None;
        match files[..] {
            [] if left.is_empty() && !wanted.is_empty() => {}
            [] => stdout = Some(contents(args.format, None, entry, left)?),
            [file] => wanted.push((file, left)),
            _ if files.len() == left.len() => {
                wanted.extend(files.into_iter().zip(left.into_iter().map(|one| vec![one])))
            }
            _ => {
                let (files, left) = (files.len(), left.len());
                return Err(format!("there are {files} files for {left} of the results of `{}`", entry.name));
            }
        }
        let mut opened: Vec<(Destination, PathBuf, Contents)> = Vec::new();
        for (path, pieces) in wanted {
            if is_standard(path) {
                if stdout.replace(contents(args.format, None, entry, pieces)?).is_some() {
                    return Err("some results go to standard output already".to_string());
                }
                continue;
            }
            let contents = contents(args.format, Some(path), entry, pieces)?;
            let is_same =
                |other: &Path| matches!((other.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
            if sources.ids().any(|id| is_same(&sources.file(id).path)) {
                return Err(format!("cannot write `{}`: it is the program itself", path.display()));
            }
            if opened.iter().any(|(_, other, _)| other == path || is_same(other)) {
                return Err(format!("there are two outputs for the file `{}`", path.display()));
            }
            opened.push((Destination::open(path)?, path.to_path_buf(), contents));
        }
        Ok(Outputs { files: opened, stdout })
    }

    /// Writes the results. No file appears before all of them are complete.
    pub(super) fn write(self, results: &[Value]) -> Result<(), Outcome> {
        let cannot = |path: &Path, error: &dyn std::fmt::Display| {
            let _ = output::to_stderr(&format!("error: cannot write `{}`: {error}\n", path.display()));
            Outcome::Failure
        };
        let mut complete = Vec::new();
        for (mut file, path, contents) in self.files {
            contents.write(file.out(), results).map_err(|error| cannot(&path, &error))?;
            file.out().flush().map_err(|error| cannot(&path, &error))?;
            complete.push((file, path));
        }
        for (file, path) in complete {
            file.finish().map_err(|error| cannot(&path, &error))?;
        }
        let Some(contents) = self.stdout else { return Ok(()) };
        let mut out = BufWriter::new(io::stdout().lock());
        match contents.write(&mut out, results).and_then(|()| Ok(out.flush()?)) {
            // That the reader has gone away is no failure: `kenaz … | head -1` is all right.
            Err(WriteError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
                // What is left would be written when the writer goes.
                let _ = out.into_parts();
                Ok(())
            }
            Err(WriteError::Io(error)) => {
                let _ = out.into_parts();
                Err(output::cannot_write(&error))
            }
            Err(error @ WriteError::Unfit(_)) => {
                let _ = output::to_stderr(&format!("error: {}\n", output::unwritable(&error)));
                Err(Outcome::Failure)
            }
            Ok(()) => Ok(()),
        }
    }
}

impl Contents {
    fn write(&self, out: &mut dyn Write, results: &[Value]) -> Result<(), WriteError> {
        self.pieces.iter().try_for_each(|Piece { ty, parts }| write(out, self.format, ty, &results[parts.clone()]))
    }
}

/// All results.
fn pieces(entry: &EntryPoint) -> Vec<Piece> {
    let mut start = 0;
    let piece = |ty: &EntryType| {
        let parts = start..start + ty.parts.len();
        start = parts.end;
        Piece { ty: ty.clone(), parts }
    };
    entry.results.iter().map(piece).collect()
}

/// The result of this name, or the field of one, and which of the results that is.
fn find(entry: &EntryPoint, results: &[Piece], path: &str) -> Result<(usize, Piece), String> {
    let within = |index: usize, field: &str| {
        let whole = results.get(index)?;
        let (ty, range) = part_of(&whole.ty, field)?;
        let start = whole.parts.start;
        Some((index, Piece { ty, parts: start + range.start..start + range.end }))
    };
    let (number, field) = path.split_once('.').unwrap_or((path, ""));
    let numbered = || within(number.parse().ok()?, field);
    // The fields of the only result need no number.
    let found = if results.len() == 1 { within(0, path).or_else(numbered) } else { numbered() };
    found.ok_or_else(|| {
        let there = match results {
            [only] => format!("one of type `{}`{}", only.ty.name, fields(&only.ty)),
            _ => format!("{}, which are numbered from 0", results.len()),
        };
        format!("`{}` has no result `{path}`, but {there}; write `./{path}=…` for a file of that name", entry.name)
    })
}

/// Decides about the format, which must be able to hold the results.
fn contents(
    format: Option<Format>,
    path: Option<&Path>,
    entry: &EntryPoint,
    pieces: Vec<Piece>,
) -> Result<Contents, String> {
    let format = format.or_else(|| Format::of_path(path?)).unwrap_or(Format::Text);
    if !format.is_sequence() && pieces.len() != 1 {
        let (name, count) = (&entry.name, pieces.len());
        return Err(format!(
            "{format} data is one value, not {count}; each result of `{name}` needs a file: `--output 0=FILE`"
        ));
    }
    match pieces.iter().find_map(|piece| format.refuses(&piece.ty)) {
        Some(problem) => Err(format!("the result of `{}` cannot be written: {problem}", entry.name)),
        None => Ok(Contents { format, pieces }),
    }
}
