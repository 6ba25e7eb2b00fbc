//! Writing to the user, who may have stopped reading.

use crate::Outcome;
use crate::program::mistake;
use kenaz_base::UnfinishedFile;
use kenaz_base::render;
use kenaz_driver::fault::Fault;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Writes all of the text; or says that it cannot, and how the command ends. That the reader has gone away is no
/// failure: `kenaz … | head -1` is all right.
pub fn to_stdout(text: &str) -> Result<(), Outcome> {
    bytes_to_stdout(text.as_bytes())
}

/// The same of a text in any encoding.
pub fn bytes_to_stdout(bytes: &[u8]) -> Result<(), Outcome> {
    write_all(&mut io::stdout().lock(), bytes).map_err(|error| cannot_write(&error))
}

/// Says that the output cannot be written.
pub fn cannot_write(error: &io::Error) -> Outcome {
    // There is nobody left to tell if this fails.
    let _ = to_stderr(&format!("error: {}\n", unwritable(error)));
    Outcome::Failure
}

/// Writes a file as a whole, or says that it cannot: then what was there is as it was.
pub fn to_file(path: &Path, contents: &str) -> Result<(), Outcome> {
    let written = UnfinishedFile::beside(path);
    std::fs::write(written.path(), contents)
        .and_then(|()| written.finish(path))
        .map_err(|error| mistake(&format!("`{}` cannot be written: {error}", path.display())))
}

/// Whether two names are those of one file that exists.
pub fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The words for it.
pub fn unwritable(error: &dyn std::fmt::Display) -> String {
    format!("cannot write the output: {error}")
}

/// Tells people at a terminal what is read from it, and how that ends.
pub fn ask(what: &str) {
    if io::stdin().is_terminal() {
        let _ =
            to_stderr(&format!("reading {what} from the terminal; Ctrl-D at the beginning of a line ends the input\n"));
    }
}

pub fn to_stderr(text: &str) -> io::Result<()> {
    write_all(&mut io::stderr().lock(), text.as_bytes())
}

/// Says that we failed.
pub fn fault(fault: &Fault) {
    // There is nobody left to tell if this fails.
    let _ = to_stderr(&fault.text());
}

fn write_all(to: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    match to.write_all(bytes).and_then(|()| to.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// How to print diagnostics to stderr: in colour when a terminal shows it and `NO_COLOR` is not set, as wide as
/// `COLUMNS` says.
pub fn stderr_style() -> render::Style {
    let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    render::Style {
        colour: io::stderr().is_terminal() && colour_is_wanted(),
        width: width.unwrap_or(render::Style::PLAIN.width),
    }
}

/// Whether what is written to stdout is shown in colour, on the same conditions.
pub fn stdout_has_colour() -> bool {
    io::stdout().is_terminal() && colour_is_wanted()
}

fn colour_is_wanted() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(self.0))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn only_a_broken_pipe_is_all_right() {
        assert!(write_all(&mut Failing(ErrorKind::BrokenPipe), b"x").is_ok());
        assert!(write_all(&mut Failing(ErrorKind::StorageFull), b"x").is_err());
    }
}
