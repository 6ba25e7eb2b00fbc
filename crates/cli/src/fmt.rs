//! `kenaz fmt`: programs in the usual layout.

use crate::check::outcome_of;
use crate::{Outcome, output, program};
use kenaz_base::fs::{self, FileSystem, LARGEST, RealFileSystem};
use kenaz_base::{Code, Diagnostic, SourceMap, Span, UnfinishedFile};
use kenaz_driver::fault;
use kenaz_format::Refusal;
use std::io::{self, Read, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Lay out programs in the usual way
///
/// Tokens and comments stay as they are; only spaces, line breaks and empty lines change. A file with syntax errors is
/// left alone.
///
/// Exit codes: 0 all is right, 1 with `--check` if a file is not laid out so, or if an output cannot be written, 2 if a
/// file has syntax errors or cannot be read or written, 3 if the layout would change the program, which is a fault of
/// the formatter; the file is then left alone.
#[derive(clap::Args)]
pub struct Args {
    /// The files to change, or `-`: without any, standard input is laid out on standard output
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Change nothing, list the files that are laid out otherwise
    #[arg(long)]
    check: bool,

    /// Change nothing, show what would change
    #[arg(long)]
    diff: bool,

    /// Only the declarations that have something in the lines from A to B, counted from 1
    #[arg(long, value_name = "A:B", value_parser = lines)]
    lines: Option<RangeInclusive<usize>>,
}

fn lines(text: &str) -> Result<RangeInclusive<usize>, String> {
    let range = text.split_once(':').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    let range: RangeInclusive<usize> =
        range.ok_or("two line numbers are expected, as in `10:20`, counted from 1".to_string())?;
    if *range.start() == 0 {
        return Err("lines are counted from 1".to_string());
    }
    if range.is_empty() { Err("the last line comes before the first".to_string()) } else { Ok(range) }
}

pub fn run(args: &Args) -> Outcome {
    if args.lines.is_some() && args.files.len() > 1 {
        return program::mistake("`--lines` is about one file");
    }
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let mut outcome = Outcome::Right;
    for path in files {
        let done = fault::guard(|| one(path, args)).unwrap_or_else(|fault| {
            let _ = output::to_stderr(&fault.text_about(path));
            Err(Outcome::Fault)
        });
        outcome = outcome.max(done.unwrap_or_else(|failure| failure));
    }
    outcome
}

/// Lays out one file, or standard input.
fn one(path: &Path, args: &Args) -> Result<Outcome, Outcome> {
    let is_input = path == Path::new("-");
    let shown = if is_input { Path::new("<stdin>") } else { path };
    let contents = if is_input { read_input() } else { RealFileSystem.read(path) };
    let mark: &[u8] = match &contents {
        Ok(bytes) if bytes.starts_with(MARK) => MARK,
        _ => b"",
    };
    let mut sources = SourceMap::new();
    let (file, failure) = fs::load(&mut sources, shown, None, &Contents(contents));
    let reject = |sources: &SourceMap, diagnostics: &[Diagnostic]| {
        program::print(sources, diagnostics);
        Err(outcome_of(diagnostics))
    };
    if let Some(failure) = failure {
        return reject(&sources, &[failure]);
    }
    let before = &sources.file(file).text;
    let formatted = match &args.lines {
        None => kenaz_format::format(file, before),
        Some(lines) => kenaz_format::format_lines(file, before, lines.clone()),
    };
    let after = match formatted {
        Ok(after) => after,
        Err(Refusal::Rejected(diagnostics)) => return reject(&sources, &diagnostics),
        Err(Refusal::Fault(difference)) => {
            let message = format!("internal error: the layout would change the program: {difference}");
            let diagnostic = Diagnostic::error(Code::Bug, Span::new(file, 0, 0), message)
                .note("nothing was changed")
                .hint("this is a fault in Kenaz, not in your program: please report it, with the program");
            return reject(&sources, &[diagnostic]);
        }
    };
    let differs = after != *before;
    if args.diff {
        let name = shown.display().to_string();
        output::to_stdout(&kenaz_format::diff(&name, before, &after, output::stdout_has_colour()))?;
    } else if args.check && differs {
        output::to_stdout(&format!("{}\n", shown.display()))?;
    }
    if args.check {
        return Ok(if differs { Outcome::Failure } else { Outcome::Right });
    }
    if args.diff {
        return Ok(Outcome::Right);
    }
    let bytes = [mark, after.as_bytes()].concat();
    if is_input {
        output::bytes_to_stdout(&bytes)?;
    } else if differs {
        replace(path, &bytes)
            .map_err(|error| program::mistake(&format!("`{}` cannot be written: {error}", path.display())))?;
    }
    Ok(Outcome::Right)
}

/// How some editors begin a file.
const MARK: &[u8] = "\u{feff}".as_bytes();

fn read_input() -> io::Result<Vec<u8>> {
    output::ask("a program");
    let mut bytes = Vec::new();
    io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file contains.
struct Contents(io::Result<Vec<u8>>);

impl FileSystem for Contents {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        match &self.0 {
            Ok(bytes) => Ok(bytes.clone()),
            Err(error) => Err(error.raw_os_error().map_or(io::Error::from(error.kind()), io::Error::from_raw_os_error)),
        }
    }

    fn exists(&self, _: &Path) -> bool {
        self.0.is_ok()
    }
}

/// Replaces what a file contains, at once, so that nobody sees a part of it. Links to it and its permissions stay.
fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let path = path.canonicalize()?;
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let unfinished = UnfinishedFile::beside(&path);
    let mut file = std::fs::File::create_new(unfinished.path())?;
    file.write_all(contents)?;
    file.set_permissions(metadata.permissions())?;
    drop(file);
    unfinished.finish(&path)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn ranges_of_lines() {
        assert_eq!(lines("3:7"), Ok(3..=7));
        assert_eq!(lines("3:3"), Ok(3..=3));
        for bad in ["", "3", "3:", ":3", "a:b", "3-7", "0:7", "7:3", "1:2:3", "-1:2"] {
            assert!(lines(bad).is_err(), "{bad}");
        }
    }
}
