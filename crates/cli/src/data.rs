//! Data files on the command line: which formats there are, files with the names of what they are for, and files that
//! are written.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kenaz_base::UnfinishedFile;
use kenaz_runtime::{Format, Reader};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Reads the name of a format.
pub fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::from_name(&name).ok_or("there is no such format"))
}

/// `FILE`, or `NAME=FILE` for one of several arguments or results. A file whose name looks so is written as `./a=b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedFile {
    pub name: Option<String>,
    pub path: PathBuf,
}

impl From<&OsStr> for NamedFile {
    fn from(text: &OsStr) -> NamedFile {
        let named = text.to_str().and_then(|text| text.split_once('='));
        let is_name = |name: &str| {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
            name.starts_with(|c: char| c.is_alphanumeric() || c == '_') && name.chars().all(is_part)
        };
        match named.filter(|(name, _)| is_name(name)) {
            Some((name, file)) => NamedFile { name: Some(name.to_string()), path: PathBuf::from(file) },
            None => NamedFile { name: None, path: PathBuf::from(text) },
        }
    }
}

/// Reads `FILE` or `NAME=FILE`.
pub fn named_file() -> impl TypedValueParser<Value = NamedFile> {
    clap::builder::OsStringValueParser::new().map(|text| NamedFile::from(text.as_os_str()))
}

/// Whether a file is standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A file that is read, or standard input.
pub struct Source {
    /// For messages.
    name: Option<String>,
    pub reader: Reader<'static>,
}

impl Source {
    /// Standard input, which messages call so or do not call at all.
    pub fn stdin(name: Option<&str>, input: impl Read + 'static, format: Option<Format>) -> Source {
        let reader = match format {
            Some(format) => Reader::with_format(input, format),
            None => Reader::new(input),
        };
        Source { name: name.map(str::to_string), reader }
    }

    /// Opens a file.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Source, String> {
        match Reader::open(path, format) {
            Ok(reader) => Ok(Source { name: Some(path.display().to_string()), reader }),
            Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
        }
    }

    /// A message about the file.
    pub fn about(&self, message: &str) -> String {
        match &self.name {
            Some(name) => format!("{name}: {message}"),
            None => message.to_string(),
        }
    }
}

/// A file that gets its name when it is complete, or something else that can be written.
pub struct Destination {
    path: PathBuf,
    /// Nothing for what is no regular file, which cannot be replaced.
    unfinished: Option<UnfinishedFile>,
    to: BufWriter<File>,
}

impl Destination {
    /// Makes sure that the file can be written, before anything is computed for it.
    pub fn open(path: &Path) -> Result<Destination, String> {
        let cannot = |error: io::Error| format!("cannot write `{}`: {error}", path.display());
        if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir() {
            return Err(format!("cannot write `{}`: it is a folder", path.display()));
        }
        // A link of this name stays, and leads to the file.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&place).is_ok_and(|data| !data.is_file()) {
            let to = File::options().write(true).open(&place).map_err(cannot)?;
            return Ok(Destination { path: place, unfinished: None, to: BufWriter::new(to) });
        }
        let unfinished = UnfinishedFile::beside(&place);
        let to = File::create(unfinished.path()).map_err(cannot)?;
        Ok(Destination { path: place, unfinished: Some(unfinished), to: BufWriter::new(to) })
    }

    pub fn out(&mut self) -> &mut dyn Write {
        &mut self.to
    }

    /// Everything is written: gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.to.flush()?;
        match self.unfinished {
            Some(unfinished) => unfinished.finish(&self.path),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_arguments() {
        for (text, name, path) in [
            ("a.npy", None, "a.npy"),
            ("xs=a.npy", Some("xs"), "a.npy"),
            ("x'.pos.0=a=b", Some("x'.pos.0"), "a=b"),
            ("./xs=a", None, "./xs=a"),
            ("a b=c", None, "a b=c"),
            ("=a", None, "=a"),
            ("xs=", Some("xs"), ""),
            ("0=-", Some("0"), "-"),
        ] {
            let expected = NamedFile { name: name.map(str::to_string), path: PathBuf::from(path) };
            assert_eq!(NamedFile::from(OsStr::new(text)), expected, "{text}");
        }
    }
}
